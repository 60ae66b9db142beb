// Bans in effect: who may not connect, why, and for how long.
import { del, path, post } from '../lib/api.js';
import { callerName } from '../lib/callers.js';
import { Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { withQuery } from '../lib/router.js';
import { isBound, tenantName } from '../lib/session.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { notify } from '../ui/notice.js';
import { clientLink } from './clients.js';

const KINDS = [['clientid', 'client identifier'], ['username', 'user name'], ['peerhost', 'IP address'], ['peerhost_net', 'network']];
const DURATIONS = [['3600', '1 hour'], ['86400', '1 day'], ['604800', '1 week'], ['', 'until deleted']];

const FILTERS = [
  { name: 'clientid', label: 'Client identifier', type: 'search' },
  { name: 'username', label: 'User name', type: 'search' },
  { name: 'peerhost', label: 'IP address', type: 'search' },
  { name: 'tenant', label: 'Tenant', more: true },
];

// Where to see what the banned clients did. The page of a client also tells when it was refused.
const WHO_LINKS = {
  clientid: ({ who, tenant }) => clientLink({ clientid: who, tenant }),
  username: ({ who, tenant }) => withQuery('#/clients', { like_username: who, tenant }),
  peerhost: ({ who, tenant }) => withQuery('#/clients', { ip_address: who, tenant }),
};

const COLUMNS = [
  { key: 'who', title: 'Who', main: true, cell: (ban) => (WHO_LINKS[ban.as]
    ? html`<a href=${WHO_LINKS[ban.as](ban)}>${ban.who}</a>` : ban.who) },
  { key: 'as', title: 'Matched by', cell: ({ as }) => KINDS.find(([kind]) => kind === as)?.[1] ?? as },
  { key: 'tenant', title: 'Tenant', cell: ({ tenant }) => (tenant === undefined ? 'all' : tenantName(tenant)) },
  { key: 'reason', title: 'Reason', wrap: true },
  { key: 'by', title: 'Created by', cell: ({ by }) => callerName(by) },
  { key: 'at', title: 'Since', cell: ({ at }) => html`<${Time} at=${at} />` },
  { key: 'until', title: 'Until', cell: ({ until }) => (until === 'infinity' ? 'no end' : html`<${Time} at=${until} />`) },
  { key: 'action', title: 'Action', cell: (ban, { refresh }) => html`<${ActionButton} kind="link" aria-label=${`Delete the ban of ${ban.who}`}
    onClick=${() => remove(ban, refresh)}>Delete<//>` },
];

export function BansView() {
  return html`<h1 tabindex="-1">Bans</h1>
    <${ListView} source="/banned" filters=${FILTERS} columns=${COLUMNS} caption="Bans in effect"
      rowKey=${({ as, who, tenant }) => `${as}/${tenant ?? '*'}/${who}`}
      empty="There are no bans. Bans that you, scripts or the flapping detector create appear here."
      toolbar=${({ refresh }) => html`<${ActionButton} kind="primary" onClick=${() => add(refresh)}>Add a ban<//>`} />`;
}

async function add(refresh) {
  const done = await openForm({
    title: 'Add a ban',
    body: 'Every node immediately disconnects matching clients and refuses them. Their sessions remain.',
    action: 'Ban',
    danger: true,
    fields: [
      { name: 'as', label: 'What is banned', type: 'select', options: KINDS, value: 'clientid' },
      { name: 'who', label: 'Value', required: true, hint: 'A network is written like 192.0.2.0/24.' },
      { name: 'seconds', label: 'How long', type: 'select', options: DURATIONS, value: '3600' },
      { name: 'reason', label: 'Reason', hint: 'For other operators; clients do not receive it.' },
      ...(isBound() ? [] : [{ name: 'tenant', label: 'Tenant', hint: 'Empty: clients of all tenants.' }]),
    ],
    run: ({ seconds, ...ban }) => post('/banned', {
      ...ban,
      until: seconds ? new Date(Date.now() + Number(seconds) * 1_000).toISOString() : undefined,
    }),
  });
  if (done) {
    notify('Banned.');
    refresh();
  }
}

async function remove({ as, who, tenant }, refresh) {
  const ofTenant = !isBound() && tenant !== undefined;
  const done = await confirm({
    title: `Delete the ban of ${who}?`,
    body: 'Matching clients can reconnect immediately.',
    action: 'Delete',
    danger: false,
    run: () => del(path`/banned/${as}/${who}` + (ofTenant ? path`?tenant=${tenant}` : '')),
  });
  if (done) {
    notify(`${who} is no longer banned.`);
    refresh();
  }
}
