// What is wrong now, and what was wrong: the alarms of all nodes.
import { activeAlarms } from '../lib/alarms.js';
import { del } from '../lib/api.js';
import { Time, duration } from '../lib/format.js';
import { html } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { place, withQuery } from '../lib/router.js';
import { confirm } from '../ui/dialog.js';
import { ActionButton, Badge } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { notify } from '../ui/notice.js';

const FILTERS = [{ name: 'activated', label: 'Alarms', type: 'select', options: [['', 'active'], ['false', 'history']] }];

export function AlarmsView() {
  const { activated, cursor, page } = place.use().query;
  const isHistory = activated === 'false';
  const isAllActive = !isHistory && !cursor && !page; // what the shell shows as well: they must agree
  const columns = [
    { key: 'name', title: 'Alarm', main: true, cell: ({ name }) => html`<${Badge} kind=${isHistory ? 'quiet' : 'error'}>${name.replaceAll('_', ' ')}<//>` },
    { key: 'message', title: 'What is wrong, and what to do', wrap: true },
    { key: 'details', title: 'Look at', cell: ({ details, node }) => lookAt({ node, ...details }) },
    { key: 'reported_by', title: 'Reported by', cell: ({ reported_by: nodes }) => nodes.map((id, i) => html`${i > 0 ? ', ' : ''}<${NodeName} id=${id} />`) },
    { key: 'activate_at', title: 'Since', cell: ({ activate_at: at }) => html`<${Time} at=${at} />` },
    ...(isHistory ? [{ key: 'deactivate_at', title: 'Until', cell: ({ deactivate_at: at }) => html`<${Time} at=${at} />` }] : []),
    { key: 'duration', title: 'For', numeric: true, cell: ({ duration: ms }) => duration(ms) },
  ];
  return html`<h1 tabindex="-1">Alarms</h1>
    <${ListView} source="/alarms" filters=${FILTERS} columns=${columns} caption=${isHistory ? 'Alarms that have ended' : 'Active alarms'} updateMs=${5_000}
      onLoad=${(alarms) => isAllActive && activeAlarms.set(alarms)}
      rowKey=${({ name, node, activate_at: at, details }) => `${name}/${node}/${at}/${JSON.stringify(details)}`}
      empty=${isHistory ? 'No alarm has ended since the nodes started, or since the history was cleared.'
        : html`Nothing is wrong. The history shows alarms that have ended. <a href=${withQuery('#/configuration', { text: 'alarmsConfig' })}>Configuration</a>
          ${' '}says when nodes raise an alarm.`}
      toolbar=${({ refresh, rows }) => (isHistory && rows.length > 0
        ? html`<${ActionButton} allTenants kind="quiet-danger" onClick=${() => clear(refresh)}>Clear history<//>` : null)} />`;
}

// Where the page shows more about what an alarm concerns.
function lookAt({ node, nodes, range }) {
  if (nodes) {
    return html`<a href="#/nodes">nodes</a>`;
  }
  if (range && range !== 'metadata') {
    return html`<a href=${withQuery('#/nodes', { range })}>${range}</a>`;
  }
  return node ? html`<a href="#/nodes"><${NodeName} id=${node} /></a>` : null;
}

async function clear(refresh) {
  const done = await confirm({
    title: 'Clear the history?',
    body: 'All nodes delete the alarms that have ended. Active alarms are not affected. The logs of the nodes still contain both.',
    action: 'Clear',
    run: () => del('/alarms'),
  });
  if (done) {
    notify('The history was cleared.');
    refresh();
  }
}
