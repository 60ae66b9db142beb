// Publishes and subscribes from the browser, to try things out.
import { Time, bytes, count } from '../lib/format.js';
import { html, useEffect, useState } from '../lib/html.js';
import { openMqtt } from '../lib/mqtt-session.js';
import { link } from '../lib/router.js';
import { refusal, session } from '../lib/session.js';
import { Badge, Field } from '../ui/form.js';
import { Banner, notify } from '../ui/notice.js';
import { Table } from '../ui/table.js';
import { PayloadText } from './client-queue.js';

const QOS = ['0', '1', '2'];

export function MessagesView() {
  const refused = refusal('operator');
  return html`<h1 tabindex="-1">Publish and subscribe</h1>
    ${refused
      ? html`<${Banner} kind="warning">${refused} An MQTT client in the browser can publish and subscribe to everything.<//>`
      : html`<${Messages} />`}`;
}

function Messages() {
  const [mqtt, setMqtt] = useState(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const opening = openMqtt();
    opening.then(setMqtt, () => setFailed(true));
    return () => opening.then((opened) => opened.close(), () => {});
  }, []);
  if (failed) {
    return html`<${Banner} kind="error">The MQTT client cannot be loaded: the node does not respond, or has another version now.
      ${' '}<a href="" onClick=${() => location.reload()}>Reload the page</a><//>`;
  }
  return mqtt ? html`<${Connected} mqtt=${mqtt} />` : html`<p class="empty">Loading…</p>`;
}

function Connected({ mqtt }) {
  const { status, reason } = mqtt.state.use();
  const connected = status === 'connected';
  const { tenant } = session.get();
  return html`<p><${Badge} kind=${connected ? 'ok' : 'warning'}>${connected ? 'connected' : 'connecting'}<//> as
      ${' '}<a href=${link`/clients/${mqtt.clientId}`}><code>${mqtt.clientId}</code></a> with MQTT 5 over WebSocket, in
      ${' '}${tenant ? html`tenant ${tenant}` : 'the default tenant'}, with all rights, regardless of rules. The session ends when you leave this view.</p>
    ${connected || !reason ? null : html`<${Banner} kind="warning">${reason}; connecting again…<//>`}
    <div class="columns even">
      <${Subscribe} mqtt=${mqtt} connected=${connected} />
      <${Publish} mqtt=${mqtt} connected=${connected} />
    </div>
    <${Received} mqtt=${mqtt} />`;
}

function Subscribe({ mqtt, connected }) {
  const [filter, setFilter] = useState('');
  const [qos, setQos] = useState('1');
  const [active, setActive] = useState([]);
  const [error, setError] = useState('');

  async function subscribe(event) {
    event.preventDefault();
    setError('');
    try {
      const [granted] = await mqtt.subscribe(filter, Number(qos));
      if (granted?.qos >= 0x80) {
        throw new Error(`reason code 0x${granted.qos.toString(16)}`);
      }
      setActive((old) => [...old.filter((one) => one.filter !== filter), { filter, qos: granted?.qos ?? Number(qos) }]);
    } catch (e) {
      setError(`Not subscribed: ${e.message}`);
    }
  }

  async function unsubscribe(one) {
    try {
      await mqtt.unsubscribe(one.filter);
      setActive((old) => old.filter((other) => other.filter !== one.filter));
    } catch (e) {
      setError(`Not unsubscribed: ${e.message}`);
    }
  }

  return html`<section class="panel" aria-label="Subscribe"><h2>Subscribe</h2>
    <form onSubmit=${subscribe}>
      <div class="row">
        <${Field} field=${{ name: 'filter', label: 'Topic filter', required: true, placeholder: 'site/#' }} value=${filter} onInput=${setFilter} />
        <${Field} field=${{ name: 'subscribe-qos', label: 'Maximum QoS', type: 'select', options: QOS }} value=${qos} onInput=${setQos} />
      </div>
      <button type="submit" class="primary" disabled=${!connected}>Subscribe</button>
      <div role="alert">${error ? html`<p class="form-error">${error}</p>` : null}</div>
    </form>
    ${active.length > 0 ? html`<ul class="chips" aria-label="Subscriptions">${active.map((one) => html`<li key=${one.filter}><code>${one.filter}</code>${' '}
      <span class="quiet">QoS ${one.qos}</span>
      <button type="button" class="icon" aria-label=${`Unsubscribe ${one.filter}`} onClick=${() => unsubscribe(one)}>×</button></li>`)}</ul>` : null}
  </section>`;
}

function Publish({ mqtt, connected }) {
  const [values, setValues] = useState({ topic: '', payload: '', qos: '1', retain: false });
  const [error, setError] = useState('');
  const field = (name, rest) => html`<${Field} field=${{ name, ...rest }} value=${values[name]}
    onInput=${(value) => setValues((old) => ({ ...old, [name]: value }))} />`;

  async function publish(event) {
    event.preventDefault();
    setError('');
    const { topic, payload, qos, retain } = values;
    try {
      const packet = await mqtt.publish(topic, payload, { qos: Number(qos), retain });
      const unmatched = packet?.reasonCode === 0x10;
      notify(unmatched ? `Published to ${topic}; no subscription matches.` : `Published to ${topic}.`, unmatched ? 'warning' : 'ok');
    } catch (e) {
      setError(`Not published: ${e.message}`);
    }
  }

  return html`<section class="panel" aria-label="Publish"><h2>Publish</h2>
    <form onSubmit=${publish}>
      <div class="row">
        ${field('topic', { label: 'Topic', required: true, placeholder: 'site/1/temperature' })}
        ${field('qos', { label: 'QoS', type: 'select', options: QOS })}
      </div>
      ${field('payload', { label: 'Payload (text)', type: 'textarea', rows: 3 })}
      ${field('retain', { label: 'Retain', type: 'checkbox' })}
      <button type="submit" class="primary" disabled=${!connected}>Publish</button>
      <div role="alert">${error ? html`<p class="form-error">${error}</p>` : null}</div>
    </form>
  </section>`;
}

function Received({ mqtt }) {
  const { total, messages } = mqtt.received.use();
  const [payloads, setPayloads] = useState(false);
  const [paused, setPaused] = useState(false);
  const columns = [
    { key: 'topic', title: 'Topic', main: true },
    { key: 'at', title: 'Received', cell: ({ at }) => html`<${Time} at=${at} precise />` },
    { key: 'qos', title: 'QoS', numeric: true },
    { key: 'retain', title: 'Retained', cell: ({ retain }) => (retain ? 'yes' : '') },
    { key: 'size', title: 'Size', numeric: true, cell: ({ size }) => bytes(size) },
    ...(payloads ? [{ key: 'payload', title: 'Payload', wrap: true, cell: ({ payload, size }) => html`<${PayloadText} data=${payload} />${
      size > payload.length ? html` <${Badge}>first ${bytes(payload.length)}<//>` : null}` }] : []),
  ];
  return html`<div class="section-head"><h2>Received <span class="quiet">${count(total)} messages${total > messages.length ? `, the latest ${count(messages.length)} are shown` : ''}</span></h2>
      <div class="toolbar">
        <${Field} field=${{ name: 'payloads', label: 'Show payloads', type: 'checkbox' }} value=${payloads} onInput=${setPayloads} />
        <button type="button" aria-pressed=${paused} onClick=${() => {
          mqtt.setPaused(!paused);
          setPaused(!paused);
        }}>${paused ? 'Continue' : 'Pause'}</button>
        <button type="button" onClick=${() => mqtt.clear()}>Clear</button>
      </div></div>
    <${Table} caption="Received messages" columns=${columns} rows=${messages} rowKey=${({ id }) => id} empty="No messages yet. Subscribe to a topic filter." />`;
}
