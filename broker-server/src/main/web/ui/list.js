// A list of the API with filters and pages. Filters and the position are part of the URL, so a list can be linked to.
import { get } from '../lib/api.js';
import { Time, count } from '../lib/format.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { place, setQuery } from '../lib/router.js';
import { isBound } from '../lib/session.js';
import { Field } from './form.js';
import { Banner, Partial } from './notice.js';
import { Table } from './table.js';

const PAGE_SIZE = 50;
const UPDATE_MS = 10_000;
const TYPING_MS = 350;

// source: the path of the API. filters: fields (see Field), named as the parameters of the API; those with `more` are
// shown on demand, and `toParameter` converts the text in the URL. Users that are bound to a tenant do not see the filter
// `tenant`. fixed: further parameters. toolbar: buttons; gets {refresh}. note: (page) => content above the table.
// onLoad: (page) => {} gets every response
export function ListView({ source, filters: allFilters = [], fixed = {}, columns, rowKey, caption, empty, toolbar, note, onLoad, updateMs = UPDATE_MS }) {
  const { query } = place.use();
  const filters = isBound() ? allFilters.filter(({ name }) => name !== 'tenant') : allFilters;
  const parameters = { ...fixed };
  for (const { name, toParameter } of filters) {
    parameters[name] = query[name] && toParameter ? toParameter(query[name]) : query[name];
  }
  const wanted = JSON.stringify([source, parameters]);
  const position = usePosition(wanted, query);
  const page = usePoll(
    async (signal) => {
      const loaded = await get(source, { ...parameters, limit: PAGE_SIZE, cursor: query.cursor, page: query.cursor ? undefined : query.page }, signal);
      onLoad?.(loaded);
      return loaded;
    },
    updateMs,
    [wanted, query.cursor, query.page],
  );
  const { data, error, loading, at, refresh } = page;
  const rows = data?.data ?? [];

  return html`<div class="list">
    <${Filters} filters=${filters} query=${query} />
    <div class="toolbar">
      <${Summary} meta=${data?.meta} rows=${rows} page=${position.number} at=${at} />
      <span class="grow"></span>
      ${toolbar?.({ refresh, rows })}
      <button type="button" onClick=${refresh} aria-busy=${loading}>Refresh</button>
    </div>
    ${error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
    <${Partial} parts=${data?.meta?.partial} />
    ${data && note ? note(data) : null}
    <${Table} caption=${caption} columns=${columns.map((column) => withRefresh(column, refresh))} rows=${rows} rowKey=${rowKey}
      busy=${loading && data === undefined} empty=${emptyText(data, error, empty)} />
    <${Pages} meta=${data?.meta} position=${position} />
  </div>`;
}

function emptyText(data, error, empty) {
  if (error) {
    return 'Not available.';
  }
  return data?.meta?.partial?.length ? 'Nothing on the nodes that responded.' : empty;
}

// Cells that change something call refresh afterward.
const withRefresh = (column, refresh) => (column.cell ? { ...column, cell: (row) => column.cell(row, { refresh }) } : column);

// The API pages forward only. The cursors of earlier pages are remembered while the view is open.
function usePosition(wanted, query) {
  const earlier = useRef([]);
  const known = useRef(wanted);
  if (known.current !== wanted) {
    known.current = wanted;
    earlier.current = [];
  }
  const here = { cursor: query.cursor, page: query.page };
  return {
    number: query.page ? Number(query.page) : 1,
    isFirst: !query.cursor && !query.page,
    canReturn: earlier.current.length > 0,
    next(meta) {
      earlier.current.push(here);
      const page = (query.page ? Number(query.page) : 1) + 1;
      setQuery(meta.cursor ? { cursor: meta.cursor, page } : { cursor: '', page });
    },
    previous: () => setQuery({ cursor: '', page: '', ...earlier.current.pop() }),
    first() {
      earlier.current = [];
      setQuery({ cursor: '', page: '' });
    },
  };
}

function Summary({ meta, rows, page, at }) {
  if (!meta) {
    return null;
  }
  const total = meta.count !== undefined
    ? `${count(meta.count)} in total`
    : `${count(rows.length)} on page ${count(page)}${meta.hasnext ? ', more follow' : ''}`;
  return html`<span class="summary">${total}${at ? html`<span class="quiet"> · as of <${Time} at=${at} precise /></span>` : ''}</span>`;
}

function Pages({ meta, position }) {
  if (!meta || (position.isFirst && !meta.hasnext)) {
    return null;
  }
  return html`<nav class="pages" aria-label="Pages">
    <button type="button" disabled=${position.isFirst} onClick=${position.first}>First page</button>
    <button type="button" disabled=${!position.canReturn} onClick=${position.previous}>Previous page</button>
    <span>Page ${count(position.number)}</span>
    <button type="button" disabled=${!meta.hasnext} onClick=${() => position.next(meta)}>Next page</button>
  </nav>`;
}

function Filters({ filters, query }) {
  const [all, setAll] = useState(() => filters.some((filter) => filter.more && query[filter.name]));
  const set = filters.filter((filter) => query[filter.name]);
  if (filters.length === 0) {
    return null;
  }
  const hasMore = filters.some((filter) => filter.more);
  return html`<form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
    ${filters.filter((filter) => all || !filter.more).map((filter) => html`<${Filter} key=${filter.name} filter=${filter}
      value=${query[filter.name] ?? ''} />`)}
    ${hasMore ? html`<button type="button" class="link" aria-expanded=${all} onClick=${() => setAll(!all)}>
      ${all ? 'Fewer filters' : 'More filters'}</button>` : null}
    ${set.length > 0 ? html`<button type="button" class="link" onClick=${() => clear(filters)}>Clear filters</button>` : null}
  </form>`;
}

function clear(filters) {
  setQuery({ cursor: '', page: '', ...Object.fromEntries(filters.map((filter) => [filter.name, ''])) });
}

// Text takes effect when the user stops typing.
function Filter({ filter, value }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  function onInput(text) {
    setTyped(text);
    clearTimeout(timer.current);
    const apply = () => setQuery({ [filter.name]: text.trim(), cursor: '', page: '' });
    if (filter.type === 'select') {
      apply();
    } else {
      timer.current = setTimeout(apply, TYPING_MS);
    }
  }
  return html`<${Field} field=${filter} value=${typed} onInput=${onInput} />`;
}
