// "Why": what happened to a client recently, on all nodes, newest first.
import { get, path } from '../lib/api.js';
import { Time, count } from '../lib/format.js';
import { html } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { usePoll } from '../lib/poll.js';
import { Badge } from '../ui/form.js';
import { Banner, Partial } from '../ui/notice.js';

const UPDATE_MS = 5_000;
const KINDS = {
  connected: 'ok',
  subscribed: 'quiet',
  unsubscribed: 'quiet',
  connect_refused: 'error',
  subscribe_refused: 'error',
  publish_denied: 'error',
  dropped: 'error',
  publish_dropped: 'error',
  throttled: 'warning',
  throttle_ended: 'quiet',
  disconnected: 'warning',
  taken_over: 'warning',
  session_expired: 'warning',
  will_published: 'quiet',
  banned: 'error',
};

export function Timeline({ clientid, tenant }) {
  const { data, error } = usePoll(
    (signal) => get(path`/clients/${clientid}/events`, { tenant }, signal), UPDATE_MS, [clientid, tenant]);
  return html`<section class="panel timeline" aria-label="Why: recent events">
    <h2>Why: recent events</h2>
    <${Partial} parts=${data?.meta?.partial} />
    ${error && !error.temporary
      ? html`<${Banner} kind=${error.status === 404 ? 'info' : 'error'}>${error.status === 404
          ? 'The nodes remember no events of this client. They keep recent events in memory.' : error.message}<//>`
      : data ? html`<ol tabindex="0">${[...data.data].reverse().map((event) => html`<${Event} key=${`${event.node}/${event.at}/${event.type}/${event.message}`} event=${event} />`)}</ol>`
      : html`<p class="empty">Loading…</p>`}
  </section>`;
}

function Event({ event }) {
  return html`<li>
    <div class="event-head"><${Badge} kind=${KINDS[event.type] ?? 'quiet'}>${event.type.replaceAll('_', ' ')}<//>
      ${event.count > 1 ? html`<b>${count(event.count)} ×</b>` : null}
      <${Time} at=${event.at} precise /> <span class="quiet">on <${NodeName} id=${event.node} /></span></div>
    <div class="event-text">${event.message}</div>
    ${event.count > 1 && event.first_at !== event.at ? html`<div class="quiet">since <${Time} at=${event.first_at} precise /></div>` : null}
  </li>`;
}
