// The clients to which messages take longest.
import { del } from '../lib/api.js';
import { Time, millis } from '../lib/format.js';
import { html } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { confirm } from '../ui/dialog.js';
import { ActionButton } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { notify } from '../ui/notice.js';
import { clientLink } from './clients.js';

const FILTERS = [{ name: 'tenant', label: 'Tenant' }];

export function SlowSubscriptionsView() {
  const columns = [
    { key: 'clientid', title: 'Client', main: true, cell: (row) => html`<a href=${clientLink(row)}>${row.clientid}</a>` },
    { key: 'topic', title: 'Topic', wrap: true, cell: ({ topic }) => html`<code>${topic}</code>` },
    { key: 'timespan', title: 'Highest latency', numeric: true, cell: ({ timespan }) => millis(timespan) },
    { key: 'node', title: 'Node', cell: ({ node }) => html`<${NodeName} id=${node} />` },
    { key: 'tenant', title: 'Tenant' },
    { key: 'last_update_time', title: 'Last late message', cell: ({ last_update_time: at }) => html`<${Time} at=${at} />` },
  ];
  return html`<h1 tabindex="-1">Slow subscriptions</h1>
    <p class="quiet">The latency is the time from the acceptance of a message until its subscriber has acknowledged it. Clients that acknowledge nothing are not listed:
      ${' '}<a href="#/clients">the list of clients</a> shows what is in flight to them.</p>
    <${ListView} source="/slow_subscriptions" filters=${FILTERS} columns=${columns} caption="Slow subscriptions"
      rowKey=${(row) => `${row.node}/${row.tenant}/${row.clientid}/${row.topic}`}
      empty="No subscriber is slow: messages are acknowledged within slowSubscriptionConfig.threshold."
      toolbar=${({ refresh, rows }) => (rows.length > 0 ? html`<${ActionButton} onClick=${() => clear(refresh)}>Clear<//>` : null)} />`;
}

async function clear(refresh) {
  const done = await confirm({
    title: 'Clear the list?',
    body: 'All nodes start measuring again.',
    action: 'Clear',
    danger: false,
    run: () => del('/slow_subscriptions'),
  });
  if (done) {
    notify('The list was cleared.');
    refresh();
  }
}
