// Topic filters that have subscribers, as a tree. The node lists one level at a time, when it is opened.
import { get, path } from '../lib/api.js';
import { count } from '../lib/format.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { usePoll } from '../lib/poll.js';
import { place, setQuery, withQuery } from '../lib/router.js';
import { isBound, session } from '../lib/session.js';
import { Facts, Field } from '../ui/form.js';
import { Banner, Partial } from '../ui/notice.js';

const PAGE_SIZE = 50;
const MAX_LEVELS = 500; // shown below one level; beyond them, the reader continues in the list of subscriptions
const UPDATE_MS = 10_000;

export function TopicsView() {
  const { query } = place.use();
  const prefix = query.prefix ?? '';
  const tenant = session.get().tenant ?? query.tenant ?? '';
  const [version, setVersion] = useState(0);
  return html`<h1 tabindex="-1">Topics</h1>
    <p>Topic filters that have subscribers. Expand a level to see the levels below it; select a topic filter to see its subscribers.</p>
    <div class="toolbar">
      <${Position} prefix=${prefix} />
      <span class="grow"></span>
      ${isBound() ? null : html`<${Tenant} value=${query.tenant ?? ''} />`}
      <button type="button" onClick=${() => setVersion(version + 1)}>Refresh</button>
    </div>
    <div class="columns">
      <section class="panel" aria-label="Topic tree">
        <${Levels} key=${`${tenant}/${prefix}/${version}`} prefix=${prefix} tenant=${tenant} chosen=${query.filter} isRoot />
      </section>
      <${Subscribers} filter=${query.filter} tenant=${tenant} />
    </div>`;
}

// Where the tree begins, as links to the levels above.
function Position({ prefix }) {
  const parts = prefix === '' ? [] : prefix.slice(0, -1).split('/');
  return html`<nav aria-label="Position in the tree"><button type="button" class="link" onClick=${() => setQuery({ prefix: '' })}>All topics</button>
    ${parts.map((part, i) => html` / <button type="button" class="link"
      onClick=${() => setQuery({ prefix: `${parts.slice(0, i + 1).join('/')}/` })}>${part || '(empty)'}</button>`)}</nav>`;
}

function Tenant({ value }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return html`<form class="filters" role="search" onSubmit=${(event) => {
    event.preventDefault();
    setQuery({ tenant: typed, prefix: '', filter: '' });
  }}><${Field} field=${{ name: 'tenant', label: 'Tenant', placeholder: 'default tenant' }} value=${typed} onInput=${setTyped} />
    <button type="submit">Show</button></form>`;
}

// What follows a prefix: loaded when it is shown, page by page.
function Levels({ prefix, tenant, chosen, isRoot = false }) {
  const [state, setState] = useState({ levels: null, cursor: null, partial: [], error: '' });
  const [busy, setBusy] = useState(false);

  async function load(cursor, signal) {
    setBusy(true);
    try {
      const { data, meta } = await get('/topic_levels', { prefix, tenant, limit: PAGE_SIZE, cursor }, signal);
      setState((old) => ({
        levels: [...(cursor ? old.levels : []), ...data], cursor: meta.hasnext ? meta.cursor : null, partial: meta.partial, error: '',
      }));
    } catch (e) {
      if (!signal?.aborted) {
        setState((old) => ({ ...old, error: e.message }));
      }
    }
    setBusy(false);
  }

  useEffect(() => {
    const aborter = new AbortController();
    load(undefined, aborter.signal);
    return () => aborter.abort();
  }, []);

  const { levels, cursor, partial, error } = state;
  if (levels === null) {
    return error
      ? html`<${Banner} kind="error">${error} <button type="button" class="link" onClick=${() => load()}>Try again</button><//>`
      : html`<p class="empty" aria-busy="true">Loading…</p>`;
  }
  return html`<${Partial} parts=${partial} />
    ${error ? html`<${Banner} kind="error">${error}<//>` : null}
    ${levels.length === 0 ? html`<p class="empty">${isRoot && prefix === ''
        ? 'There are no subscriptions. Topic filters appear here as soon as clients subscribe.' : 'No topic filter has further levels here.'}</p>` : null}
    <ul class="tree">${levels.map((level) => html`<${Level} key=${level.level} level=${level} tenant=${tenant} chosen=${chosen} />`)}</ul>
    ${cursor === null ? null : levels.length >= MAX_LEVELS
      ? html`<p class="quiet">Only the first ${count(levels.length)} levels are shown.
          ${' '}<a href=${withQuery('#/subscriptions', { match_topic: `${prefix}#`, tenant })}>Search the subscriptions</a> for the others.</p>`
      : html`<button type="button" class="link" disabled=${busy} onClick=${() => load(cursor)}>More below ${prefix || 'the root'}</button>`}`;
}

function Level({ level: { level, topic, is_filter: isFilter, below }, tenant, chosen }) {
  const [open, setOpen] = useState(false);
  const name = level === '' ? '(empty)' : level;
  return html`<li>
    <div class="tree-row">
      ${below > 0 ? html`<button type="button" class="icon" aria-expanded=${open} aria-label=${`${open ? 'Close' : 'Open'} ${topic || name}`}
        onClick=${() => setOpen(!open)}>${open ? '▾' : '▸'}</button>` : html`<span class="tree-leaf" aria-hidden="true"></span>`}
      ${isFilter
        ? html`<button type="button" class="link" aria-pressed=${topic === chosen} onClick=${() => setQuery({ filter: topic })}><code>${name}</code></button>`
        : html`<code>${name}</code>`}
      ${below > 0 ? html`<span class="quiet">${count(below)} below</span>
        <button type="button" class="link" aria-label=${`zoom in: ${topic || name}`} onClick=${() => setQuery({ prefix: `${topic}/` })}>zoom in</button>` : null}
    </div>
    ${open ? html`<div class="tree-below"><${Levels} prefix=${`${topic}/`} tenant=${tenant} chosen=${chosen} /></div>` : null}
  </li>`;
}

// Who subscribes to the chosen topic filter.
function Subscribers({ filter, tenant }) {
  const { data, error } = usePoll(
    (signal) => (filter ? get(path`/topics/${filter}`, { tenant }, signal) : Promise.resolve([])), UPDATE_MS, [filter, tenant]);
  const found = data?.[0];
  const gone = error?.status === 404;
  const panel = useRef(null);
  useEffect(() => {
    if (filter) {
      panel.current.scrollIntoView({ block: 'nearest' }); // on a phone, it is below the tree
    }
  }, [filter]);
  return html`<section class="panel" aria-label="Subscribers" ref=${panel}>
    <h2>Subscribers</h2>
    ${!filter ? html`<p class="empty">Select a topic filter in the tree.</p>` : html`
      <p><code>${filter}</code></p>
      ${gone ? html`<${Banner}>This topic filter no longer has subscribers.<//>`
        : error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
      ${found ? html`<${Facts} items=${[
        ['Nodes with connected subscribers', found.nodes.length > 0 ? names(found.nodes) : 'none'],
        ['Persistent sessions', count(found.sessions)],
      ]} />` : null}
      <p><a href=${withQuery('#/subscriptions', { topic: filter, tenant })}>List the subscribers</a></p>`}
  </section>`;
}

const names = (ids) => ids.map((id, i) => html`${i > 0 ? ', ' : ''}<${NodeName} id=${id} />`);
