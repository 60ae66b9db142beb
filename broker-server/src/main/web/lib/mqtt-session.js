// An MQTT client in the browser, through /mqtt on the HTTP port. Its credentials are those of the login.
import { createStore } from './store.js';
import { session } from './session.js';

const TOKEN_PREFIX = 'fjordmq.bearer.';
const KEEP_ALIVE_SECONDS = 30;
const RECONNECT_MS = 2_000;
const MAX_MESSAGES = 200;
const MAX_PAYLOAD_BYTES = 4_096;
const SHOW_MS = 250;

// Opens a connection, which is kept until close(). Rejects if the node does not have the file of this version of the page.
export async function openMqtt() {
  const { default: mqtt } = await import('mqtt'); // large, and not needed by other views
  const state = createStore({ status: 'connecting', reason: '' });
  const received = createStore({ total: 0, messages: [] });
  const clientId = `web-${session.get().username}-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
  let buffered = [];
  let total = 0;
  let timer = 0;
  let paused = false;

  const client = mqtt.connect(location.origin.replace(/^http/, 'ws') + '/mqtt', {
    protocolVersion: 5,
    clientId,
    clean: true,
    keepalive: KEEP_ALIVE_SECONDS,
    reconnectPeriod: RECONNECT_MS,
    timerVariant: 'native', // the alternative is a worker, which the Content-Security-Policy forbids
    createWebsocket: (url) => new WebSocket(url, ['mqtt', TOKEN_PREFIX + (session.get()?.token ?? '')]),
  });
  client.on('connect', () => state.set({ status: 'connected', reason: '' }));
  client.on('close', () => state.set({ status: 'connecting', reason: state.get().reason || 'The connection was lost' }));
  client.on('error', (error) => state.set({ status: 'connecting', reason: error.message }));
  client.on('disconnect', (packet) => state.set({
    status: 'connecting',
    reason: `The broker ended the connection: ${packet.properties?.reasonString ?? `reason code 0x${packet.reasonCode.toString(16)}`}`,
  }));
  client.on('message', (topic, payload, packet) => {
    total += 1;
    if (!paused) {
      buffered.push({
        id: total, at: Date.now(), topic, qos: packet.qos, retain: packet.retain,
        size: payload.length, payload: Uint8Array.from(payload.subarray(0, MAX_PAYLOAD_BYTES)),
      });
      buffered = buffered.slice(-MAX_MESSAGES);
    }
    timer ||= setTimeout(show, SHOW_MS);
  });

  // At most four times per second, however many messages arrive.
  function show() {
    timer = 0;
    received.set({ total, messages: [...buffered.reverse(), ...received.get().messages].slice(0, MAX_MESSAGES) });
    buffered = [];
  }

  return {
    clientId,
    state,
    received,
    setPaused(value) {
      paused = value;
    },
    clear() {
      buffered = [];
      received.set({ total, messages: [] });
    },
    // Rejects with an error that contains the reason of the broker.
    subscribe: (filter, qos) => client.subscribeAsync(filter, { qos }),
    unsubscribe: (filter) => client.unsubscribeAsync(filter),
    publish: (topic, payload, options) => client.publishAsync(topic, payload, options),
    close() {
      clearTimeout(timer);
      client.end(true);
    },
  };
}
