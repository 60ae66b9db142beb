// One retained message. Its payload is fetched only when the user asks for it.
import { del, get, path } from '../lib/api.js';
import { Time, bytes } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { link, navigate, place, withQuery } from '../lib/router.js';
import { confirm } from '../ui/dialog.js';
import { ActionButton, Facts } from '../ui/form.js';
import { Banner, notify } from '../ui/notice.js';
import { clientLink } from './clients.js';
import { Payload } from './client-queue.js';

const UPDATE_MS = 10_000;
const MAX_PAYLOAD_BYTES = 16_384;

export function RetainedMessageView({ topic }) {
  const { tenant } = place.use().query;
  const [withPayload, setWithPayload] = useState(false);
  const where = path`/mqtt/retainer/message/${topic}`;
  const { data, error, refresh } = usePoll(
    (signal) => get(where, { tenant, max_payload_bytes: withPayload ? MAX_PAYLOAD_BYTES : 0 }, signal), UPDATE_MS, [where, tenant, withPayload]);
  const gone = error?.status === 404;
  return html`
    <div class="section-head">
      <h1 tabindex="-1">${topic}</h1>
      <div class="buttons">${data ? html`<${ActionButton} kind="quiet-danger" onClick=${() => remove(where, topic, tenant)}>Delete<//>` : null}</div>
    </div>
    <p><a href=${withQuery('#/retained', { tenant })}>Retained messages</a> ·
      ${' '}<a href=${withQuery('#/subscriptions', { match_topic: topic, tenant })}>Subscriptions to this topic</a></p>
    ${gone ? html`<${Banner}>The topic has no retained message. It was deleted, has expired, or was never published.<//>`
      : error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
    ${data ? html`<section class="panel" aria-label="Message"><h2>Message</h2><${Facts} items=${facts(data)} /></section>
      <section class="panel" aria-label="Payload"><div class="section-head"><h2>Payload</h2>
        <button type="button" onClick=${() => (withPayload ? setWithPayload(false) : setWithPayload(true))}>${
          withPayload ? 'Hide payload' : 'Show payload'}</button></div>
        ${withPayload && data.payload !== undefined ? html`<p><${Payload} ...${data} /></p>`
          : html`<p class="quiet">${bytes(data.payload_bytes)}, not loaded.</p>`}</section>` : null}
    ${data === undefined && !error ? html`<p class="empty" aria-busy="true">Loading…</p>` : null}
    ${error?.status === 404 ? html`<button type="button" onClick=${refresh}>Check again</button>` : null}`;
}

function facts({ tenant, qos, publish_at: at, from_clientid: by, expires_at: expires, payload_bytes: size, properties }) {
  const { user_properties: user, ...others } = properties ?? {};
  return [
    ['Tenant', tenant],
    ['QoS', String(qos)],
    ['Size', bytes(size)],
    ['Published', html`<${Time} at=${at} precise />`],
    ['By', by ? html`<a href=${clientLink({ clientid: by, tenant })}>${by}</a>` : 'API or broker'],
    ['Expires', expires ? html`<${Time} at=${expires} />` : 'never'],
    ...Object.entries(others).map(([name, value]) => [name.replaceAll('_', ' '), String(value)]),
    ['User properties', user ? Object.entries(user).map(([name, value]) => html`<div><code>${name}</code>: ${String(value)}</div>`) : null],
  ];
}

async function remove(where, topic, tenant) {
  const done = await confirm({
    title: `Delete the retained message of ${topic}?`,
    body: 'Subscribers are not notified. This cannot be undone.',
    action: 'Delete',
    run: () => del(where, { tenant }),
  });
  if (done) {
    notify(`The retained message of ${topic} was deleted.`);
    navigate(withQuery(link`/retained`, { tenant }));
  }
}
