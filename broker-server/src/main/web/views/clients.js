// The clients of all nodes, with filters. This is the shortest complete example of a list.
import { path } from '../lib/api.js';
import { Time, count } from '../lib/format.js';
import { html } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { link, withQuery } from '../lib/router.js';
import { Badge } from '../ui/form.js';
import { ListView } from '../ui/list.js';

const FILTERS = [
  { name: 'like_clientid', label: 'Client identifier contains', type: 'search' },
  { name: 'like_username', label: 'User name contains', type: 'search' },
  { name: 'conn_state', label: 'State', type: 'select', options: [['', 'all'], 'connected', 'disconnected'] },
  { name: 'node', label: 'Node (id or name)', more: true },
  { name: 'ip_address', label: 'IP address', more: true },
  {
    name: 'proto_ver', label: 'Protocol', type: 'select', more: true,
    options: [['', 'all'], ['5', 'MQTT 5'], ['4', 'MQTT 3.1.1'], ['3', 'MQTT 3.1']],
  },
  { name: 'clean_start', label: 'Clean start', type: 'select', more: true, options: [['', 'all'], ['true', 'yes'], ['false', 'no']] },
  { name: 'gte_connected_at', label: 'Connected since', type: 'datetime-local', more: true, toParameter: toInstant },
  { name: 'lte_connected_at', label: 'Connected until', type: 'datetime-local', more: true, toParameter: toInstant },
  { name: 'tenant', label: 'Tenant', more: true },
];

const COLUMNS = [
  { key: 'clientid', title: 'Client', main: true, cell: (client) => html`<a href=${clientLink(client)}>${client.clientid}</a>` },
  { key: 'state', title: 'State', cell: stateOf },
  { key: 'username', title: 'User' },
  { key: 'tenant', title: 'Tenant' },
  { key: 'node', title: 'Node', cell: ({ node }) => (node ? html`<${NodeName} id=${node} />` : null) },
  { key: 'ip_address', title: 'Address' },
  { key: 'protocol', title: 'Protocol', cell: (client) => protocolName(client.proto_ver) },
  { key: 'since', title: 'Since', cell: (client) => html`<${Time} at=${client.connected_at ?? client.disconnected_at} />` },
  { key: 'subscriptions_cnt', title: 'Subscriptions', numeric: true, cell: (client) => count(client.subscriptions_cnt) },
  { key: 'inflight_cnt', title: 'In flight', numeric: true, cell: (client) => count(client.inflight_cnt) },
  { key: 'mqueue_len', title: 'Queued', numeric: true, cell: (client) => count(client.mqueue_len) },
];

export function ClientsView() {
  return html`<h1 tabindex="-1">Clients</h1>
    <p class="quiet">Connected clients, and sessions that outlive their connection. The list is in the order in which sessions are stored, not sorted by
      name: use the filters to find a client.</p>
    <${ListView} source="/clients" filters=${FILTERS} columns=${COLUMNS} caption="Connected clients and offline sessions"
      rowKey=${(client) => `${client.tenant}/${client.clientid}`} empty="No client matches." />`;
}

export const clientLink = ({ clientid, tenant }) => withQuery(link`/clients/${clientid}`, { tenant });

// The path of a client in the API, or of something below it. The tenant is always named, because client identifiers are
// unique only within one.
export const whereIs = ({ clientid, tenant }, below = '') => path`/clients/${clientid}` + below + path`?tenant=${tenant}`;

export const protocolName = (level) => ({ 3: 'MQTT 3.1', 4: 'MQTT 3.1.1', 5: 'MQTT 5' })[level];

export function stateOf(client) {
  const waits = client.held_back_by?.length > 0;
  return html`<${Badge} kind=${client.connected ? (waits ? 'warning' : 'ok') : 'quiet'}>
    ${client.connected ? (waits ? 'held back' : 'connected') : 'offline'}<//>`;
}

function toInstant(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
