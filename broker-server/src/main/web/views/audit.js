// Who changed what through the API of any node, newest first.
import { callerName } from '../lib/callers.js';
import { NONE, Time } from '../lib/format.js';
import { html } from '../lib/html.js';
import { NodeName } from '../lib/node-names.js';
import { refusal } from '../lib/session.js';
import { Badge } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { Banner } from '../ui/notice.js';

const toInstant = (text) => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
};

const FILTERS = [
  { name: 'source', label: 'User or API key', type: 'search' },
  { name: 'operation_id', label: 'Operation', type: 'search', placeholder: 'kickClient' },
  { name: 'operation_result', label: 'Result', type: 'select', options: [['', 'all'], 'success', 'failure'] },
  { name: 'source_ip', label: 'IP address', more: true },
  { name: 'gte_created_at', label: 'Since', type: 'datetime-local', more: true, toParameter: toInstant },
  { name: 'lte_created_at', label: 'Until', type: 'datetime-local', more: true, toParameter: toInstant },
];

export function AuditView() {
  const refused = refusal('administrator', true);
  return html`<h1 tabindex="-1">Audit</h1>
    ${refused ? html`<${Banner} kind="warning">${refused} Audit records say who changed what.<//>` : html`<${Records} />`}`;
}

function Records() {
  const columns = [
    { key: 'created_at', title: 'When', cell: ({ created_at: at }) => html`<${Time} at=${at} precise />` },
    { key: 'operation_id', title: 'Operation', main: true, cell: ({ operation_id: id }) => html`<code>${id}</code>` },
    { key: 'target', title: 'Target', wrap: true, cell: ({ target }) => target || NONE },
    { key: 'result', title: 'Result', cell: ({ operation_result: result, http_status_code: status }) =>
      html`<${Badge} kind=${result === 'success' ? 'ok' : 'error'}>${result} ${status}<//>` },
    { key: 'source', title: 'By', cell: ({ source, from }) => (source ? `${callerName(source)}${from === 'api_key' ? ' (API key)' : ''}` : NONE) },
    { key: 'source_ip', title: 'Address' },
    { key: 'node', title: 'Node', cell: ({ node }) => html`<${NodeName} id=${node} />` },
  ];
  return html`<p class="quiet">Each node keeps its latest records since its start; its log contains all of them.</p>
    <${ListView} source="/audit" filters=${FILTERS} columns=${columns} caption="Audit records"
      rowKey=${(row) => `${row.node}/${row.created_at}/${row.operation_id}/${row.target}/${row.source}`}
      empty="No record matches. Changes through the API, this page and bin/fjordmq appear here." />`;
}
