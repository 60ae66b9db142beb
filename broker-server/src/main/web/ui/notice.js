// Short messages about what has just happened. Screen readers read them; they disappear by themselves.
import { html } from '../lib/html.js';
import { createStore } from '../lib/store.js';

const SHOWN_MS = 6_000;
const MAX = 4;
const notices = createStore([]);
let lastId = 0;

// kind: ok, warning or error
export function notify(text, kind = 'ok') {
  lastId += 1;
  const id = lastId;
  notices.set([...notices.get(), { id, text, kind }].slice(-MAX));
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id) {
  notices.set(notices.get().filter((notice) => notice.id !== id));
}

export function Notices() {
  return html`<div class="notices" role="status" aria-live="polite">
    ${notices.use().map((notice) => html`<div class="notice ${notice.kind}" key=${notice.id}>
      <span>${notice.text}</span>
      <button class="icon" aria-label="Dismiss" onClick=${() => dismiss(notice.id)}>×</button>
    </div>`)}
  </div>`;
}

// A message that stays as long as its cause. kind: info, warning or error. Screen readers announce the message, but not
// `detail`, which may change often.
export function Banner({ kind = 'info', detail, children }) {
  return html`<div class="banner ${kind}"><span role=${kind === 'error' ? 'alert' : 'status'}>${children}</span>${detail ? ` ${detail}` : null}</div>`;
}

// What is missing from a response of the API (meta.partial).
export function Partial({ parts }) {
  return parts?.length
    ? html`<${Banner} kind="warning">Incomplete: ${parts.slice(0, 5).join('; ')}${
        parts.length > 5 ? ` and ${parts.length - 5} more` : ''}<//>`
    : null;
}
