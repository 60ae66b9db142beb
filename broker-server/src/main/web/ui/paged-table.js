// A table of rows that the page has completely, shown page by page. The page number is part of the URL.
import { count } from '../lib/format.js';
import { html } from '../lib/html.js';
import { place, setQuery } from '../lib/router.js';
import { Table } from './table.js';

const PAGE_SIZE = 100;

// pageKey: the name of the page number in the URL; different for each such table of a view. rest: see Table
export function PagedTable({ rows, pageKey = 'page', caption, ...rest }) {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_SIZE));
  const page = Math.min(pages, Math.max(1, Number(place.use().query[pageKey]) || 1));
  const turn = (to) => setQuery({ [pageKey]: to === 1 ? '' : to });
  return html`<${Table} caption=${caption} rows=${rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)} ...${rest} />
    ${pages > 1 ? html`<nav class="pages" aria-label=${`Pages: ${caption}`}>
      <button type="button" disabled=${page === 1} onClick=${() => turn(page - 1)}>Previous page</button>
      <span>Page ${count(page)} of ${count(pages)}</span>
      <button type="button" disabled=${page === pages} onClick=${() => turn(page + 1)}>Next page</button></nav>` : null}`;
}
