// One client: its state, what holds it back, why things happened to it, its subscriptions and its messages.
import { del, get, path, post } from '../lib/api.js';
import { NONE, Time, bytes, count, duration, isKnown, yesNo } from '../lib/format.js';
import { html } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { usePoll } from '../lib/poll.js';
import { place, withQuery } from '../lib/router.js';
import { isBound } from '../lib/session.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton, Facts } from '../ui/form.js';
import { Banner, notify } from '../ui/notice.js';
import { Table } from '../ui/table.js';
import { QueuePanel } from './client-queue.js';
import { Timeline } from './client-timeline.js';
import { protocolName, stateOf, whereIs } from './clients.js';
import { startTrace } from './traces.js';

const UPDATE_MS = 5_000;

// What each reason in held_back_by means. Other reasons are keys of limits.
const REASONS = {
  overload: 'The node is overloaded, so it reads nothing from this client.',
  lease: 'The node has no lease, so its clients are paused.',
  authorization: 'A plugin or provider has not decided yet whether the client may do what it asked for.',
  'client not reading': 'The client does not read from its connection.',
  'sessionConfig.maxInflight': 'The client has not acknowledged the messages in flight and receives no more until it does.',
  'sessionConfig.maxPendingPublishes': 'The client publishes faster than its messages are stored, so the node reads more slowly.',
  'sessionConfig.maxPendingSubscribes': 'The client subscribes faster than its subscriptions are stored, so the node reads more slowly.',
};

export function ClientView({ clientid }) {
  const { tenant } = place.use().query;
  const client = usePoll((signal) => find(clientid, tenant, signal), UPDATE_MS, [clientid, tenant]);
  const { data, error, refresh } = client;
  const gone = error?.status === 404;
  return html`
    <div class="section-head">
      <h1 tabindex="-1">${clientid} ${data ? stateOf(data) : null}</h1>
      <div class="buttons">${data ? html`
        <${ActionButton} onClick=${() => startTrace({ refresh: () => {}, clientid, tenant: data.tenant })}>Trace<//>
        <${ActionButton} onClick=${() => kick(data, refresh)} kind="quiet-danger">${data.connected ? 'Kick' : 'End session'}<//>
        <${ActionButton} onClick=${() => ban(data, refresh)} kind="quiet-danger">Ban<//>` : null}
      </div>
    </div>
    ${error && !error.temporary ? html`<${Banner} kind=${gone ? 'info' : 'error'}>
      ${gone ? 'No node currently knows this client: it is not connected and has no session. Its recent events are below.' : error.message}<//>` : null}
    ${data === undefined && !error ? html`<p class="empty">Loading…</p>` : null}
    ${data ? html`<${HeldBack} reasons=${data.held_back_by} />` : null}
    <div class="columns">
      <div>
        ${data ? html`<${State} client=${data} />` : null}
        ${data ? html`<${Subscriptions} client=${data} />` : null}
        ${data ? html`<${QueuePanel} client=${data} />` : null}
      </div>
      <${Timeline} clientid=${clientid} tenant=${tenant} />
    </div>`;
}

// A link without a tenant is to a client of the default tenant, if several tenants have this client identifier.
async function find(clientid, tenant, signal) {
  try {
    return await get(path`/clients/${clientid}`, { tenant }, signal);
  } catch (e) {
    if (e.status === 409 && tenant === undefined) {
      return get(whereIs({ clientid, tenant: '' }), {}, signal);
    }
    throw e;
  }
}

function HeldBack({ reasons }) {
  return reasons?.length
    ? reasons.map((reason) => html`<${Banner} kind="warning" key=${reason}>Held back now. ${REASONS[reason] ?? 'The client has reached a limit.'}
        ${reason.includes('.') ? html`${' '}Limit: ${isBound() ? html`<code>${reason}</code>`
          : html`<a href=${withQuery('#/configuration', { text: reason })}><code>${reason}</code></a>`}, or what the client itself allows.` : null}<//>`)
    : null;
}

function State({ client }) {
  const limit = (value, max) => (isKnown(value) ? `${count(value)}${isKnown(max) ? ` of ${count(max)}` : ''}` : null);
  const address = client.ip_address && `${client.ip_address}${client.port ? `:${client.port}` : ''}`;
  return html`<section class="panel" aria-label="State"><h2>State</h2><${Facts} items=${[
    ['User', client.username && html`<a href=${withQuery('#/clients', { like_username: client.username })}>${client.username}</a>`],
    ['Tenant', client.tenant],
    ['Node', client.node && html`<${NodeName} id=${client.node} />`],
    ['Address', address],
    ['Listener', client.listener && `${client.listener}${client.encrypted ? ' (TLS)' : ''}`],
    ['Protocol', protocolName(client.proto_ver)],
    ['Connected', client.connected_at && html`<${Time} at=${client.connected_at} />`],
    ['Disconnected', client.disconnected_at && html`<${Time} at=${client.disconnected_at} />`],
    ['Session created', client.created_at && html`<${Time} at=${client.created_at} />`],
    ['Session expires', client.expires_at && html`<${Time} at=${client.expires_at} />`],
    ['Session outlives the connection', client.is_persistent ? `for ${duration(client.expiry_interval * 1_000)}` : 'no'],
    ['Keep alive', isKnown(client.keepalive) ? (client.keepalive === 0 ? 'off' : `${client.keepalive} s`) : null],
    ['Clean start', isKnown(client.clean_start) ? yesNo(client.clean_start) : null],
    ['Will', client.has_will ? (client.will_due_at ? html`due <${Time} at=${client.will_due_at} />` : 'yes') : 'none'],
    ['Subscriptions', limit(client.subscriptions_cnt, client.subscriptions_max)],
    ['In flight', limit(client.inflight_cnt, client.inflight_max)],
    ['Queued', limit(client.mqueue_len, client.mqueue_max)],
    ['Stored messages', limit(client.inbox_messages, client.inbox_max_messages)],
    ['Stored bytes', isKnown(client.inbox_bytes) ? `${bytes(client.inbox_bytes)} of ${bytes(client.inbox_max_bytes)}` : null],
    ['Awaiting PUBREL', client.awaiting_rel_cnt ? count(client.awaiting_rel_cnt) : null],
  ]} /></section>`;
}

function Subscriptions({ client }) {
  const where = whereIs(client, '/subscriptions');
  const { data, error, refresh } = usePoll((signal) => get(where, {}, signal), UPDATE_MS * 2, [where]);
  const columns = [
    { key: 'topic', title: 'Topic filter', main: true, cell: ({ topic }) => html`<code>${topic}</code>` },
    { key: 'qos', title: 'QoS', numeric: true },
    { key: 'options', title: 'Options', cell: subscriptionOptions },
    { key: 'action', title: 'Action', cell: ({ topic }) => (client.connected
      ? html`<${ActionButton} kind="link" aria-label=${`Unsubscribe ${topic}`} onClick=${() => unsubscribe(client, topic, refresh)}>Unsubscribe<//>` : NONE) },
  ];
  return html`<section class="panel" aria-label="Subscriptions">
    <div class="section-head"><h2>Subscriptions</h2>${client.connected
      ? html`<${ActionButton} onClick=${() => subscribe(client, refresh)}>Subscribe<//>` : null}</div>
    ${error && !error.temporary && error.status !== 404 ? html`<${Banner} kind="error">${error.message}<//>` : null}
    <${Table} caption="Subscriptions of the client" columns=${columns} rows=${data ?? []} rowKey=${({ topic }) => topic}
      busy=${data === undefined && !error} empty="No subscriptions." />
  </section>`;
}

export function subscriptionOptions({ nl, rap, rh, subid }) {
  const set = [nl ? 'no local' : '', rap ? 'retain as published' : '', rh ? `retain handling ${rh}` : '', subid ? `id ${subid}` : ''];
  return set.filter((text) => text !== '').join(', ') || NONE;
}

async function kick(client, refresh) {
  const { clientid, connected } = client;
  const done = await confirm({
    title: connected ? `Kick ${clientid}?` : `End the session of ${clientid}?`,
    body: connected
      ? 'The client is disconnected and its session ends: its subscriptions and queued messages are removed, and its will is published. It can reconnect immediately; to prevent that, ban it.'
      : 'Its subscriptions and queued messages are removed.',
    action: connected ? 'Kick' : 'End session',
    run: () => del(whereIs(client)),
  });
  if (done) {
    notify(connected ? `${clientid} was kicked.` : `The session of ${clientid} has ended.`);
    refresh();
  }
}

const DURATIONS = [['3600', '1 hour'], ['86400', '1 day'], ['604800', '1 week'], ['', 'until deleted']];

async function ban(client, refresh) {
  const { clientid, username, ip_address: address, tenant } = client;
  const kinds = [['clientid', `client identifier ${clientid}`], username && ['username', `user name ${username}`],
    address && ['peerhost', `address ${address}`]].filter(Boolean);
  const who = { clientid, username, peerhost: address };
  const done = await openForm({
    title: `Ban ${clientid}`,
    body: 'Every node disconnects matching clients and refuses them. Their sessions remain.',
    action: 'Ban',
    danger: true,
    fields: [
      { name: 'as', label: 'What is banned', type: 'select', options: kinds, value: 'clientid' },
      { name: 'seconds', label: 'How long', type: 'select', options: DURATIONS, value: '3600' },
      { name: 'reason', label: 'Reason', hint: 'For other operators; clients do not receive it.' },
    ],
    run: ({ as, seconds, reason }) => post('/banned', {
      as,
      who: who[as],
      reason,
      tenant: tenant || undefined,
      until: seconds ? new Date(Date.now() + Number(seconds) * 1_000).toISOString() : undefined,
    }),
  });
  if (done) {
    notify(`${clientid} is banned.`);
    refresh();
  }
}

async function subscribe(client, refresh) {
  const done = await openForm({
    title: `Subscribe ${client.clientid}`,
    body: 'Has the same effect as a SUBSCRIBE of the client, but skips authorization.',
    action: 'Subscribe',
    fields: [
      { name: 'topic', label: 'Topic filter', required: true, placeholder: 'site/+/temperature' },
      { name: 'qos', label: 'Maximum QoS', type: 'select', options: ['0', '1', '2'], value: '1' },
    ],
    run: ({ topic, qos }) => post(whereIs(client, '/subscribe'), { topic, qos: Number(qos) }),
  });
  if (done) {
    notify('Subscribed.');
    refresh();
  }
}

async function unsubscribe(client, topic, refresh) {
  const done = await confirm({
    title: `Unsubscribe ${client.clientid} from ${topic}?`,
    body: 'The client is not notified and does not resubscribe automatically.',
    action: 'Unsubscribe',
    run: () => post(whereIs(client, '/unsubscribe'), { topic }),
  });
  if (done) {
    notify('Unsubscribed.');
    refresh();
  }
}

