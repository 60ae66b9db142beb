// The subscriptions of all clients and offline sessions, with filters.
import { post } from '../lib/api.js';
import { NONE } from '../lib/format.js';
import { html } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { confirm } from '../ui/dialog.js';
import { ActionButton, Badge } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { notify } from '../ui/notice.js';
import { subscriptionOptions } from './client.js';
import { clientLink, whereIs } from './clients.js';

const FILTERS = [
  { name: 'match_topic', label: 'Matched by topic filter', type: 'search', placeholder: 'site/#' },
  { name: 'topic', label: 'Exact topic filter', type: 'search' },
  { name: 'clientid', label: 'Client identifier', type: 'search' },
  { name: 'share_group', label: 'Group of shared subscriptions', more: true },
  { name: 'qos', label: 'Maximum QoS', type: 'select', more: true, options: [['', 'all'], '0', '1', '2'] },
  { name: 'durable', label: 'Outlives the connection', type: 'select', more: true, options: [['', 'all'], ['true', 'yes'], ['false', 'no']] },
  { name: 'node', label: 'Node (id or name)', more: true },
  { name: 'tenant', label: 'Tenant', more: true },
];

export function SubscriptionsView() {
  const columns = [
    { key: 'topic', title: 'Topic filter', main: true, cell: ({ topic }) => html`<code>${topic}</code>` },
    { key: 'clientid', title: 'Client', cell: (row) => html`<a href=${clientLink(row)}>${row.clientid}</a>` },
    { key: 'tenant', title: 'Tenant' },
    { key: 'node', title: 'Node', cell: ({ node }) => (node ? html`<${NodeName} id=${node} />` : html`<${Badge}>offline<//>`) },
    { key: 'qos', title: 'QoS', numeric: true },
    { key: 'options', title: 'Options', cell: subscriptionOptions },
    { key: 'durable', title: 'Durable', cell: ({ durable }) => (durable ? 'yes' : 'no') },
    { key: 'action', title: 'Action', cell: (row, { refresh }) => (row.node
      ? html`<${ActionButton} kind="link" aria-label=${`Unsubscribe ${row.clientid} from ${row.topic}`}
          onClick=${() => unsubscribe(row, refresh)}>Unsubscribe<//>` : NONE) },
  ];
  return html`<h1 tabindex="-1">Subscriptions</h1>
    <${ListView} source="/subscriptions" filters=${FILTERS} columns=${columns} caption="Subscriptions of all clients"
      rowKey=${({ tenant, clientid, topic }) => `${tenant}/${clientid}/${topic}`}
      empty="No subscription matches. Subscriptions of connected clients and of offline sessions appear here." />`;
}

async function unsubscribe(row, refresh) {
  const done = await confirm({
    title: `Unsubscribe ${row.clientid} from ${row.topic}?`,
    body: 'The client is not notified and does not resubscribe automatically.',
    action: 'Unsubscribe',
    run: () => post(whereIs(row, '/unsubscribe'), { topic: row.topic }),
  });
  if (done) {
    notify(`${row.clientid} no longer subscribes to ${row.topic}.`);
    refresh();
  }
}
