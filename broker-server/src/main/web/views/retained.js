// The retained messages of a tenant. Payloads are not part of the list; the view of a message shows them on demand.
import { del } from '../lib/api.js';
import { Time, bytes } from '../lib/format.js';
import { html } from '../lib/html.js';
import { link, place, withQuery } from '../lib/router.js';
import { session } from '../lib/session.js';
import { confirm } from '../ui/dialog.js';
import { ActionButton } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { notify } from '../ui/notice.js';
import { clientLink } from './clients.js';

const FILTERS = [
  { name: 'topic', label: 'Topic filter', type: 'search', placeholder: 'site/#' },
  { name: 'tenant', label: 'Tenant', more: true },
];

const COLUMNS = [
  { key: 'topic', title: 'Topic', main: true, cell: ({ topic, tenant }) =>
    html`<a href=${withQuery(link`/retained/${topic}`, { tenant })}><code>${topic}</code></a>` },
  { key: 'qos', title: 'QoS', numeric: true },
  { key: 'payload_bytes', title: 'Size', numeric: true, cell: ({ payload_bytes: size }) => bytes(size) },
  { key: 'publish_at', title: 'Published', cell: ({ publish_at: at }) => html`<${Time} at=${at} />` },
  { key: 'from_clientid', title: 'By', cell: ({ from_clientid: by, tenant }) => (by ? html`<a href=${clientLink({ clientid: by, tenant })}>${by}</a>` : 'API or broker') },
  { key: 'expires_at', title: 'Expires', cell: ({ expires_at: at }) => (at ? html`<${Time} at=${at} />` : 'never') },
];

export function RetainedView() {
  const { topic, tenant } = place.use().query;
  return html`<h1 tabindex="-1">Retained messages</h1>
    <p class="quiet">The latest message of each topic that was published with the RETAIN flag; new subscribers get it. The topic filter
      ${' '}<code>$SYS/#</code> shows the topics of this node.</p>
    <${ListView} source="/mqtt/retainer/messages" filters=${FILTERS} columns=${COLUMNS} caption="Retained messages"
      rowKey=${(row) => row.topic} empty="No retained message matches. Messages published with the RETAIN flag appear here."
      toolbar=${({ refresh, rows }) => (rows.length > 0 ? html`<${ActionButton} kind="quiet-danger"
        onClick=${() => deleteMatching(topic, tenant, refresh)}>${topic ? 'Delete matching' : 'Delete all'}<//>` : null)} />`;
}

async function deleteMatching(topic, tenant, refresh) {
  const whose = session.get().tenant ?? tenant;
  const done = await confirm({
    title: topic ? `Delete the retained messages that match ${topic}?` : 'Delete all retained messages?',
    body: `This deletes all messages ${topic ? 'that match the topic filter' : ''} of ${whose ? `tenant ${whose}` : 'the default tenant'}, not only
      those on this page. Subscribers are not notified. The messages cannot be restored.`,
    action: 'Delete',
    run: () => del('/mqtt/retainer/messages', { topic, tenant }),
  });
  if (done) {
    notify('Deleted.');
    refresh();
  }
}
