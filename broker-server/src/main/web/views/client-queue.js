// The messages that wait for a client. Payloads are fetched only when the user asks for them.
import { get } from '../lib/api.js';
import { NONE, Time, bytes, count, isKnown } from '../lib/format.js';
import { html, useState } from '../lib/html.js';
import { Badge } from '../ui/form.js';
import { Banner } from '../ui/notice.js';
import { Table } from '../ui/table.js';
import { clientLink, whereIs } from './clients.js';

const LIMIT = 50;
const MAX_PAYLOAD_BYTES = 1_024;
const KINDS = [['mqueue_messages', 'Waiting'], ['inflight_messages', 'In flight']];

export function QueuePanel({ client }) {
  const [kind, setKind] = useState('mqueue_messages');
  const [page, setPage] = useState(null); // {messages, position, withPayload, at}
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);

  async function load(chosen, withPayload, position) {
    setBusy(true);
    setError('');
    try {
      const { data, meta } = await get(whereIs(client, `/${chosen}`), {
        limit: LIMIT, position, payload: withPayload ? 'base64' : 'none', max_payload_bytes: MAX_PAYLOAD_BYTES,
      });
      const messages = position ? [...page.messages, ...data] : data;
      setPage({ messages, withPayload, at: Date.now(), position: meta.hasnext ? meta.position : null });
    } catch (e) {
      setError(e.message);
    }
    setBusy(false);
  }

  function choose(chosen) {
    setKind(chosen);
    setPage(null);
  }

  return html`<section class="panel" aria-label="Messages">
    <div class="section-head"><h2>Messages</h2>
      <div class="choice" role="group" aria-label="Kind of messages">${KINDS.map(([value, name]) => html`<button type="button"
        aria-pressed=${value === kind} onClick=${() => choose(value)}>${name}</button>`)}</div></div>
    <p class="quiet">${count(client.mqueue_len ?? 0)} waiting, ${count(client.inflight_cnt ?? 0)} in flight. Listing them neither removes them nor marks them as sent.</p>
    <div class="buttons">
      <button type="button" disabled=${busy} onClick=${() => load(kind, false)}>${page ? 'Reload' : 'List messages'}</button>
      ${page && !page.withPayload && page.messages.length > 0
        ? html`<button type="button" disabled=${busy} onClick=${() => load(kind, true)}>Show payloads</button>` : null}
      ${page ? html`<span class="quiet">as of <${Time} at=${page.at} precise /></span>` : null}
    </div>
    ${error ? html`<${Banner} kind="error">${error}<//>` : null}
    ${page ? html`<${Table} caption="Messages" columns=${columns(page.withPayload, client.tenant)} rows=${page.messages.map((message, i) => ({ ...message, i }))}
      rowKey=${({ i }) => i} empty="None." />` : null}
    ${page?.position ? html`<button class="more" type="button" disabled=${busy} onClick=${() => load(kind, page.withPayload, page.position)}>More</button>` : null}
  </section>`;
}

function columns(withPayload, tenant) {
  return [
    { key: 'topic', title: 'Topic', main: true, cell: ({ topic, packet_id: id }) => topic ?? `(packet ${id}, not kept)` },
    { key: 'qos', title: 'QoS', numeric: true },
    { key: 'publish_at', title: 'Published', cell: ({ publish_at: at }) => html`<${Time} at=${at} />` },
    { key: 'from_clientid', title: 'By', cell: ({ from_clientid: by }) => (by ? html`<a href=${clientLink({ clientid: by, tenant })}>${by}</a>` : null) },
    { key: 'expires_at', title: 'Expires', cell: ({ expires_at: at }) => (isKnown(at) ? html`<${Time} at=${at} />` : 'never') },
    { key: 'payload_bytes', title: 'Size', numeric: true, cell: ({ payload_bytes: size }) => bytes(size) },
    { key: 'awaits', title: 'Awaits', cell: ({ awaits }) => awaits ?? NONE },
    ...(withPayload ? [{ key: 'payload', title: 'Payload', wrap: true, cell: (message) => html`<${Payload} ...${message} />` }] : []),
  ];
}

// A payload in Base64: as text if it is text, otherwise in hexadecimal.
export function Payload({ payload, payload_bytes: size }) {
  if (!isKnown(payload)) {
    return NONE;
  }
  const decoded = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
  const cut = isKnown(size) && size > decoded.length;
  return html`<${PayloadText} data=${decoded} />${cut ? html` <${Badge}>first ${bytes(decoded.length)}<//>` : null}`;
}

export function PayloadText({ data }) {
  const { text, isText } = readPayload(data);
  return data.length === 0 ? html`<span class="quiet">empty</span>` : html`<code class="payload">${text}</code>${isText ? '' : html` <${Badge}>hex<//>`}`;
}

function readPayload(data) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data);
    if (!/[\u0000-\u0008\u000e-\u001f\u007f]/.test(text)) {
      return { text, isText: true };
    }
  } catch {
    // not UTF-8, or cut within a character
  }
  return { text: [...data].map((byte) => byte.toString(16).padStart(2, '0')).join(' '), isText: false };
}
