// Counters of registered topics. Nodes count a topic only after somebody has registered it.
import { del, get, path, post, put } from '../lib/api.js';
import { NONE, Time, count, isKnown, short } from '../lib/format.js';
import { html } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { place } from '../lib/router.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton } from '../ui/form.js';
import { Banner, Partial, notify } from '../ui/notice.js';
import { PagedTable } from '../ui/paged-table.js';

const UPDATE_MS = 5_000;

export function TopicMetricsView() {
  const { tenant } = place.use().query;
  const { data, error, loading, refresh } = usePoll((signal) => get('/mqtt/topic_metrics', { tenant }, signal), UPDATE_MS, [tenant]);
  return html`<h1 tabindex="-1">Topic metrics</h1>
    <p class="quiet">Message counters of individual topics on all nodes, since the topic was registered. At most 512 topics, without wildcards.</p>
    <div class="toolbar"><span class="grow"></span>
      <${ActionButton} kind="primary" onClick=${() => register(tenant, refresh)}>Register a topic<//>
      <button type="button" onClick=${refresh} aria-busy=${loading}>Refresh</button></div>
    ${error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
    <${Partial} parts=${[...new Set((data ?? []).flatMap((topic) => topic.partial ?? []))]} />
    <${PagedTable} caption="Registered topics" columns=${columns(tenant, refresh)} rows=${data ?? []} rowKey=${({ topic }) => topic} busy=${data === undefined && !error}
      empty="No topic is registered. Register one to count its messages." />`;
}

function columns(tenant, refresh) {
  const number = (name, rate) => ({ metrics }) => (isKnown(metrics[name])
    ? html`${count(metrics[name])}<span class="quiet"> · ${short(metrics[rate] ?? 0)}/s</span>` : NONE);
  const counter = (title, name) => ({
    key: name, title, numeric: true, cell: number(`messages.${name}.count`, `messages.${name}.rate`),
  });
  return [
    { key: 'topic', title: 'Topic', main: true, cell: ({ topic }) => html`<code>${topic}</code>` },
    counter('In', 'in'),
    counter('Out', 'out'),
    counter('Dropped', 'dropped'),
    { key: 'since', title: 'Since', cell: ({ create_time: created, reset_time: reset }) => html`<${Time} at=${reset ?? created} />` },
    { key: 'action', title: 'Actions', cell: ({ topic }) => html`
      <${ActionButton} kind="link" aria-label=${`Reset ${topic}`} onClick=${() => reset(topic, tenant, refresh)}>Reset<//>${' '}
      <${ActionButton} kind="link" aria-label=${`Remove ${topic}`} onClick=${() => remove(topic, tenant, refresh)}>Remove<//>` },
  ];
}

async function register(tenant, refresh) {
  const done = await openForm({
    title: 'Register a topic',
    action: 'Register',
    fields: [{ name: 'topic', label: 'Topic', required: true, placeholder: 'site/1/temperature', hint: 'Without wildcards.' }],
    run: ({ topic }) => post('/mqtt/topic_metrics', { topic }, { tenant }),
  });
  if (done) {
    notify('All nodes now count the messages of this topic.');
    refresh();
  }
}

async function reset(topic, tenant, refresh) {
  const done = await confirm({
    title: `Reset the counters of ${topic}?`,
    body: 'All nodes reset these counters to zero.',
    action: 'Reset',
    danger: false,
    run: () => put('/mqtt/topic_metrics', { action: 'reset', topic }, { tenant }),
  });
  if (done) {
    notify(`The counters of ${topic} were reset.`);
    refresh();
  }
}

async function remove(topic, tenant, refresh) {
  const done = await confirm({
    title: `Stop counting the messages of ${topic}?`,
    body: 'Its counters are lost.',
    action: 'Remove',
    run: () => del(path`/mqtt/topic_metrics/${topic}`, { tenant }),
  });
  if (done) {
    notify(`The messages of ${topic} are no longer counted.`);
    refresh();
  }
}
