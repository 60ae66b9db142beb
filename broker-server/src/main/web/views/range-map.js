// The ranges of each store in the order of their keys. The color of a range is that of the node that leads it; the bar
// below its name is its share of the load of the busiest range.
import { NONE, bytes, count, isKnown, micros, percent } from '../lib/format.js';
import { html } from '../lib/html.js';
import { storeOf } from '../lib/range-changes.js';
import { decisionText } from '../lib/split-decisions.js';
import { place, setQuery } from '../lib/router.js';
import { Badge, Facts } from '../ui/form.js';
import { Banner } from '../ui/notice.js';
import { PagedTable } from '../ui/paged-table.js';
import { RangeActions } from './range-actions.js';

const NORMAL_LAG = 16; // log entries
const NEW_MS = 30_000;
const MAX_NODE_COLUMNS = 7;
const MANY = 40; // of which a strip shows only the colors, and the names as tooltips
const STORES = [['dist', 'routes of subscriptions'], ['inbox', 'persistent sessions'], ['retain', 'retained messages']];

export function RangeMap({ ranges, nodes, nameOf, changes, refresh }) {
  const { query } = place.use();
  const selected = ranges.find(({ range }) => range === query.range);
  return STORES.map(([store, contents]) => {
    const own = ranges.filter((range) => storeOf(range) === store);
    return html`<section class="panel" aria-label=${`Store ${store}`} key=${store}>
      <h2>${store} <span class="quiet">${contents} · ${own.length === 1 ? '1 range' : `${count(own.length)} ranges`}</span></h2>
      <${Strip} ranges=${own} nodes=${nodes} nameOf=${nameOf} changes=${changes} selected=${selected} />
      ${selected && storeOf(selected) === store
        ? html`<${Details} range=${selected} ranges=${own} nodes=${nodes} nameOf=${nameOf} refresh=${refresh} />` : null}
      <${PagedTable} pageKey=${`${store}-page`} caption=${`Ranges of the store ${store}`} columns=${columns(nodes, nameOf)} rows=${own} rowKey=${({ range }) => range}
        empty="No ranges." />
    </section>`;
  });
}

function Strip({ ranges, nodes, nameOf, changes, selected }) {
  const busiest = Math.max(1, ...ranges.map(({ load }) => load?.requests_per_second ?? 0));
  return html`<ol class="strip ${ranges.length > MANY ? 'many' : ''}">${ranges.map((range) => {
    const at = nodes.findIndex(({ node }) => node === range.leader);
    const isNew = changes.some((change) => change.range === range.range && change.text.startsWith('split') && Date.now() - change.at < NEW_MS);
    const load = range.load?.requests_per_second;
    return html`<li key=${range.range}>
      <button type="button" class="segment ${at < 0 ? 'no-leader' : `node-${at % 8 + 1}`} ${isNew ? 'new' : ''}"
        aria-pressed=${selected?.range === range.range} onClick=${() => select(range, selected)}
        title=${ranges.length > MANY ? `${range.range}, ${range.leader ? nameOf(range.leader) : 'no leader'}` : undefined}>
        <b>${range.range}</b>
        <span>${range.leader ? nameOf(range.leader) : 'no leader'}</span>
        <span class="load" style=${{ '--share': `${((load ?? 0) / busiest) * 100}%` }}>${isKnown(load) ? `${count(load)}/s` : NONE}</span>
        ${trouble(range) ? html`<${Badge} kind="error">${trouble(range)}<//>` : null}
      </button>
    </li>`;
  })}</ol>`;
}

const select = (range, selected) => setQuery({ range: selected?.range === range.range ? '' : range.range });

function trouble(range) {
  if (range.problem) {
    return 'halted';
  }
  const replicas = [...range.voters, ...range.learners];
  if (replicas.some(({ lag }) => !isKnown(lag))) {
    return 'replica unresponsive';
  }
  return replicas.some(({ lag }) => lag > NORMAL_LAG) ? 'replica behind' : '';
}

function Details({ range, ranges, nodes, nameOf, refresh }) {
  const { load } = range;
  const right = ranges[ranges.findIndex((other) => other.range === range.range) + 1];
  return html`<div class="details" role="group" aria-label=${`Range ${range.range}`}>
    <div class="section-head"><h3>${range.range}</h3>
      <${RangeActions} range=${range} right=${right} nameOf=${nameOf} refresh=${refresh} /></div>
    ${range.problem ? html`<${Banner} kind="error">${range.problem}<//>` : null}
    <${Facts} items=${[
      ['Keys', range.keys === '[, ∞)' ? 'all' : html`<code>${range.keys}</code>`],
      ['Leader', range.leader ? nameOf(range.leader) : 'none'],
      ['Voters', replicaList(range.voters, nameOf)],
      ['Learners', range.learners.length > 0 ? replicaList(range.learners, nameOf) : null],
      ['Requests', load && `${count(load.requests_per_second)} per second`],
      ['Apply thread busy', load && percent(load.busy_percent)],
      ['Storage per command', load && micros(load.storage_nanos_per_command / 1_000)],
      ['Size', load && bytes(load.bytes)],
      ['Pinned to', range.pin && pinText(range.pin, nameOf)],
    ]} />
    ${load ? html`<p>${decisionText(load.decision)}</p>` : null}
  </div>`;
}

const pinText = ({ voters, leader }, nameOf) => `${voters.map(nameOf).join(', ')}${leader ? `, led by ${nameOf(leader)}` : ''}`;

const replicaList = (replicas, nameOf) => replicas.map(({ node, lag }) => `${nameOf(node)}${lagText(lag)}`).join(', ');

function lagText(lag) {
  if (!isKnown(lag)) {
    return ' (unresponsive)';
  }
  return lag > NORMAL_LAG ? ` (${count(lag)} behind)` : '';
}

function columns(nodes, nameOf) {
  const holders = nodes.filter(({ state }) => state !== 'removed');
  const replicas = holders.length <= MAX_NODE_COLUMNS
    ? holders.map((node) => ({ key: node.node, title: nameOf(node.node), cell: (range) => html`<${Replica} range=${range} node=${node.node} />` }))
    : [{ key: 'voters', title: 'Voters', wrap: true, cell: (range) => replicaList(range.voters, nameOf) }];
  return [
    { key: 'range', title: 'Range', main: true, cell: (range) => html`<button type="button" class="link" onClick=${() => select(range)}>${range.range}</button>` },
    ...replicas,
    { key: 'requests', title: 'Requests', numeric: true, cell: ({ load }) => (load ? `${count(load.requests_per_second)}/s` : NONE) },
    { key: 'busy', title: 'Busy', numeric: true, cell: ({ load }) => percent(load?.busy_percent) },
    { key: 'size', title: 'Size', numeric: true, cell: ({ load }) => bytes(load?.bytes) },
    { key: 'decision', title: 'Split decision', wrap: true, cell: ({ load }) => (load ? decisionText(load.decision) : NONE) },
  ];
}

function Replica({ range, node }) {
  const voter = range.voters.find((replica) => replica.node === node);
  const learner = range.learners.find((replica) => replica.node === node);
  const replica = voter ?? learner;
  if (!replica) {
    return html`<span class="quiet">·<span class="sr-only">none</span></span>`;
  }
  const kind = range.leader === node ? 'leader' : voter ? 'voter' : 'learner';
  const behind = !isKnown(replica.lag) || replica.lag > NORMAL_LAG;
  return html`<span class="replica ${kind}">${kind}</span>${behind ? html` <${Badge} kind="warning">${lagText(replica.lag).trim().replace(/[()]/g, '')}<//>` : null}`;
}
