// Every view has a URL: #/clients/meter-8?tenant=acme. The part after # never reaches the server, so a link works on
// every node.
import { createStore } from './store.js';

export const place = createStore(parse());

window.addEventListener('hashchange', () => place.set(parse()));

function parse() {
  const text = location.hash.replace(/^#/, '') || '/';
  const at = text.indexOf('?');
  const path = at < 0 ? text : text.slice(0, at);
  return {
    path,
    segments: path.split('/').filter((part) => part !== '').map(decode),
    query: Object.fromEntries(new URLSearchParams(at < 0 ? '' : text.slice(at + 1))),
  };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// link`/clients/${id}` returns the value of an href.
export function link(parts, ...values) {
  return parts.reduce((text, part, i) => text + encodeURIComponent(values[i - 1]) + part).replace(/^/, '#');
}

export function withQuery(href, query) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') {
      params.set(name, value);
    }
  }
  const text = params.toString();
  return text ? `${href}?${text}` : href;
}

export function navigate(href) {
  location.hash = href.replace(/^#/, '');
}

// Changes the query of the current URL, without an entry in the history of the browser.
export function setQuery(changes) {
  const { path, query } = place.get();
  history.replaceState(history.state, '', withQuery(`#${path}`, { ...query, ...changes }));
  place.set(parse());
}

// The parameters of a pattern such as /clients/:clientid; null if the segments do not match.
export function match(pattern, segments) {
  const parts = pattern.split('/').filter((part) => part !== '');
  if (parts.length !== segments.length) {
    return null;
  }
  const params = {};
  for (let i = 0; i < parts.length; i++) {
    if (parts[i].startsWith(':')) {
      params[parts[i].slice(1)] = segments[i];
    } else if (parts[i] !== segments[i]) {
      return null;
    }
  }
  return params;
}
