// Traces: the packets and decisions of a client, topic filter or address, on all nodes.
import { del, get, path, post, put } from '../lib/api.js';
import { callerName } from '../lib/callers.js';
import { NONE, Time, bytes, isKnown } from '../lib/format.js';
import { html } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { place, setQuery } from '../lib/router.js';
import { isBound, tenantName } from '../lib/session.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton, Badge, Field } from '../ui/form.js';
import { Banner, Partial, notify } from '../ui/notice.js';
import { Table } from '../ui/table.js';
import { clientLink } from './clients.js';

const UPDATE_MS = 5_000;
const KINDS = { running: 'ok', waiting: 'warning', stopped: 'quiet' };
const TYPES = [['clientid', 'client identifier'], ['topic', 'topic filter'], ['ip_address', 'IP address or network']];
const DURATIONS = [['600', '10 minutes'], ['1800', '30 minutes'], ['3600', '1 hour'], ['28800', '8 hours'], ['86400', '1 day']];
const ENCODINGS = [['hidden', 'hidden'], ['text', 'as text'], ['hex', 'in hexadecimal']];

export function TracesView() {
  const { status = '' } = place.use().query;
  const { data, error, loading, refresh } = usePoll((signal) => get('/trace', {}, signal), UPDATE_MS);
  const traces = (data ?? []).filter((trace) => status === '' || trace.status === status);
  const partial = [...new Set((data ?? []).flatMap((trace) => trace.partial ?? []))];
  return html`<h1 tabindex="-1">Traces</h1>
    <p>A trace records the packets and decisions of matching clients on all nodes, in files of limited size. Payloads are hidden unless you choose otherwise.</p>
    <div class="toolbar">
      <${Field} field=${{ name: 'status', label: 'State', type: 'select', options: [['', 'all'], 'running', 'waiting', 'stopped'] }}
        value=${status} onInput=${(value) => setQuery({ status: value })} />
      <span class="grow"></span>
      <${ActionButton} kind="primary" onClick=${() => startTrace({ refresh })}>Start a trace<//>
      ${data?.length > 0 ? html`<${ActionButton} kind="quiet-danger" onClick=${() => removeAll(refresh)}>Delete all<//>` : null}
      <button type="button" onClick=${refresh} aria-busy=${loading}>Refresh</button>
    </div>
    ${error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
    <${Partial} parts=${partial} />
    <${Table} caption="Traces" columns=${columns(refresh)} rows=${traces} rowKey=${({ tenant, name }) => `${tenant ?? '*'}/${name}`} busy=${data === undefined && !error}
      empty="No traces. Start one to see what a client sends and receives." />`;
}

function columns(refresh) {
  return [
    { key: 'name', title: 'Name', main: true },
    { key: 'status', title: 'State', cell: ({ status }) => html`<${Badge} kind=${KINDS[status] ?? 'quiet'}>${status}<//>` },
    { key: 'type', title: 'Traces', wrap: true, cell: (trace) => html`${TYPES.find(([type]) => type === trace.type)?.[1]}<br />${trace.type === 'clientid'
      ? html`<a href=${clientLink({ clientid: trace.clientid, tenant: trace.tenant })}><code>${trace.clientid}</code></a>` : html`<code>${trace[trace.type]}</code>`}` },
    { key: 'tenant', title: 'Tenant', cell: ({ tenant }) => (tenant === undefined ? 'all' : tenantName(tenant)) },
    { key: 'payload_encode', title: 'Payloads' },
    { key: 'start_at', title: 'From, to', cell: ({ start_at: from, end_at: to }) => html`<${Time} at=${from} /> –<br /><${Time} at=${to} />` },
    { key: 'by', title: 'By', cell: ({ by }) => callerName(by) },
    { key: 'log_size', title: 'Size', numeric: true, cell: ({ log_size: sizes }) => (isKnown(sizes)
      ? bytes(Object.values(sizes).reduce((sum, size) => sum + size, 0)) : NONE) },
    { key: 'action', title: 'Actions', cell: (trace) => html`
      <${ActionButton} kind="link" aria-label=${`Download ${trace.name}`} onClick=${() => download(trace)}>Download<//>${' '}
      ${trace.status === 'stopped' ? null
        : html`<${ActionButton} kind="link" aria-label=${`Stop ${trace.name}`} onClick=${() => stop(trace, refresh)}>Stop<//>${' '}`}
      <${ActionButton} kind="link" aria-label=${`Delete ${trace.name}`} onClick=${() => remove(trace, refresh)}>Delete<//>` },
  ];
}

// clientid, tenant: of the client that is traced, if the user has already chosen one
export async function startTrace({ refresh, clientid = '', tenant = '' }) {
  const done = await openForm({
    title: 'Start a trace',
    body: 'On all nodes, from now on. The file contains topics, client identifiers and addresses.',
    action: 'Start',
    fields: [
      { name: 'name', label: 'Name', required: true, value: clientid.replace(/[^\w-]/g, '-').slice(0, 64), hint: 'Letters, digits, - and _' },
      { name: 'type', label: 'What is traced', type: 'select', options: TYPES, value: 'clientid' },
      ...TYPES.map(([type, label]) => ({
        name: type, label: `${label[0].toUpperCase()}${label.slice(1)}`, required: true, value: type === 'clientid' ? clientid : '', when: (values) => values.type === type,
      })),
      { name: 'seconds', label: 'How long', type: 'select', options: DURATIONS, value: '600' },
      { name: 'payload_encode', label: 'Payloads', type: 'select', options: ENCODINGS, value: 'hidden',
        hint: 'Payloads can be confidential. Anyone who can download the trace can see them.' },
      ...(isBound() ? [] : [{ name: 'tenant', label: 'Tenant', value: tenant, hint: 'Empty: all tenants.' }]),
    ],
    run: ({ seconds, ...trace }) => post('/trace', {
      ...trace, end_at: new Date(Date.now() + Number(seconds) * 1_000).toISOString(),
    }),
  });
  if (done) {
    notify('The trace has started. The Traces view lists it.');
    refresh();
  }
}

// Traces of several tenants can have the same name.
const whereIs = ({ name, tenant }, below = '') => path`/trace/${name}` + below + (tenant === undefined ? '' : path`?tenant=${tenant}`);

async function download(trace) {
  const { name } = trace;
  try {
    const text = await get(whereIs(trace, '/download'));
    const url = URL.createObjectURL(new Blob([text ?? ''], { type: 'text/plain' }));
    const anchor = Object.assign(document.createElement('a'), { href: url, download: `${name}.log` });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (e) {
    notify(`The trace ${name} was not downloaded: ${e.message}`, 'error');
  }
}

async function stop(trace, refresh) {
  const { name } = trace;
  const done = await confirm({
    title: `Stop the trace ${name}?`,
    body: 'Its files remain until you delete the trace, or for traceConfig.retention.',
    action: 'Stop',
    danger: false,
    run: () => put(whereIs(trace, '/stop')),
  });
  if (done) {
    notify(`The trace ${name} was stopped.`);
    refresh();
  }
}

async function remove(trace, refresh) {
  const { name } = trace;
  const done = await confirm({
    title: `Delete the trace ${name}?`,
    body: 'All nodes delete their files of this trace.',
    action: 'Delete',
    run: () => del(whereIs(trace)),
  });
  if (done) {
    notify(`The trace ${name} was deleted.`);
    refresh();
  }
}

async function removeAll(refresh) {
  const done = await confirm({
    title: 'Delete all traces?',
    body: 'Running traces are stopped, and all nodes delete all trace files.',
    action: 'Delete all',
    run: () => del('/trace'),
  });
  if (done) {
    notify('All traces were deleted.');
    refresh();
  }
}
