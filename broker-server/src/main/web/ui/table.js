// Tables. On a phone, each row becomes a card, in which every value has the name of its column.
import { html } from '../lib/html.js';
import { isBound } from '../lib/session.js';

// columns: [{key, title, cell: (row) => content, numeric, main, wrap}]; without `cell`, row[key] is shown. The column
// with `main` names the row. Users that are bound to a tenant do not see the column `tenant`. rowKey: (row) => text, unique.
export function Table({ caption, columns: all, rows, rowKey, empty = 'Nothing to show.', busy = false }) {
  const columns = isBound() ? all.filter(({ key }) => key !== 'tenant') : all;
  if (rows.length === 0) {
    return html`<p class="empty" aria-busy=${busy}>${busy ? 'Loading…' : empty}</p>`;
  }
  return html`<div class="table-frame" tabindex="0" role="region" aria-label=${caption}>
    <table aria-busy=${busy}>
      <caption class="sr-only">${caption}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col" class=${column.numeric ? 'numeric' : ''}>${column.title}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${rowKey(row)}>${columns.map((column) => cell(column, row))}</tr>`)}</tbody>
    </table>
  </div>`;
}

const isEmpty = (content) => content === undefined || content === null || content === '';

function cell(column, row) {
  const content = column.cell ? column.cell(row) : row[column.key];
  const classes = `${column.numeric ? 'numeric ' : ''}${column.wrap ? 'wrap ' : ''}${column.main ? 'main' : ''}`;
  return column.main
    ? html`<th scope="row" class=${classes} data-label=${column.title}><span>${content}</span></th>`
    : html`<td class=${classes} data-label=${column.title}>${isEmpty(content) ? null : html`<span>${content}</span>`}</td>`;
}
