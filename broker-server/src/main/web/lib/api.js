// Calls of the REST API (docs/API.md). Every call sends the token of the login, and fails with an ApiError.
import { createStore } from './store.js';
import { end, session } from './session.js';

const BASE = '/api/v5';
const TIMEOUT_MS = 20_000; // longer than httpConfig.requestTimeout, after which the node answers with an error
const SILENCE_MS = 5_000; // a node that answers no request for so long is treated as lost until it does

// Whether the node responds: {lost: false}, or {lost: true, since, reason}, where `since` is the time of its last response.
export const connection = createStore({ lost: false });
let lastResponse = Date.now();

export class ApiError extends Error {
  // status 0: no response
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  // Whether the same request may succeed soon: the node is starting, stopping, busy or unreachable.
  get temporary() {
    return this.status === 0 || this.status === 503 || this.status === 504;
  }
}

// path`/clients/${id}/events` encodes the values of a path.
export function path(parts, ...values) {
  return parts.reduce((text, part, i) => text + encodeURIComponent(values[i - 1]) + part);
}

// query: an object; undefined, null and empty values are omitted, arrays are repeated
function queryText(query = {}, first = '?') {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') {
        params.append(name, one);
      }
    }
  }
  const text = params.toString();
  return text ? first + text : '';
}

export const get = (where, query, signal) => call('GET', where, { query, signal });
export const post = (where, body, query) => call('POST', where, { body: body ?? undefined, query });
export const put = (where, body, query) => call('PUT', where, { body, query });
export const del = (where, query) => call('DELETE', where, { query });

// Returns the parsed response; null if it has no body; text unless it is JSON.
export async function call(method, where, { query, body, signal, anonymous = false } = {}) {
  const current = anonymous ? null : session.get();
  const headers = {};
  if (current) {
    headers.Authorization = `Bearer ${current.token}`;
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const url = BASE + where + queryText(query, where.includes('?') ? '&' : '?');
  const begin = Date.now();
  const silence = setTimeout(() => lastResponse < begin && setLost('The node does not respond'), SILENCE_MS);
  let response;
  let text;
  try {
    response = await (takeEarly(method, url) ?? fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      credentials: 'omit',
      cache: 'no-store',
    }));
    text = await response.text();
  } catch (e) {
    if (signal?.aborted) {
      throw e;
    }
    setLost('The node does not respond');
    throw new ApiError(0, 'NO_RESPONSE', 'The node does not respond. It may be restarting.');
  } finally {
    clearTimeout(silence);
  }
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  const parsed = text === '' ? null : isJson ? JSON.parse(text) : text;
  if (!response.ok) {
    fail(response.status, parsed, current);
  }
  setResponding();
  return parsed;
}

// The response to a request that index.html has sent for this login, once.
function takeEarly(method, url) {
  const early = method === 'GET' ? globalThis.earlyResponses?.get(url) : undefined;
  globalThis.earlyResponses?.delete(url);
  return early;
}

function fail(status, parsed, used) {
  const error = new ApiError(status, parsed?.code ?? `HTTP_${status}`, parsed?.message ?? `HTTP status ${status}`);
  if (status === 503 && /the node is (starting|stopping)/.test(error.message)) {
    setLost(`${error.message[0].toUpperCase()}${error.message.slice(1).split(';')[0]}`);
  } else {
    setResponding();
  }
  // Only the token of this login: another one may have begun while the request was in progress.
  if (status === 401 && used && used === session.get()) {
    end(error.code === 'TOKEN_TIME_OUT' ? 'Your login has expired.' : 'Your login is no longer valid.');
  }
  throw error;
}

function setLost(reason) {
  connection.set({ lost: true, since: lastResponse, reason });
}

function setResponding() {
  lastResponse = Date.now();
  if (connection.get().lost) {
    connection.set({ lost: false });
  }
}

export const login = (username, password) =>
  call('POST', '/login', { body: { username, password }, anonymous: true });
