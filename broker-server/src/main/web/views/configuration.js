// The effective configuration of a node, where each value comes from, and changes of those that can change at run time.
import { del, get, path, put } from '../lib/api.js';
import { count } from '../lib/format.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { place, setQuery } from '../lib/router.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton, Badge, Field } from '../ui/form.js';
import { Banner, notify } from '../ui/notice.js';
import { PagedTable } from '../ui/paged-table.js';

const UPDATE_MS = 15_000;
const TYPING_MS = 250;
const MAX_KEYS = 2_000; // of several hundred, and up to fifty for each tenant with its own limits
const ORIGINS = { default: 'default', file: 'file', api: 'API', environment: 'environment', system_property: 'system property', command_line: 'command line' };
const SHOWN = [['', 'all keys'], ['changed', 'different from the default'], ['reloadable', 'changeable while nodes run'], ['api', 'set through the API']];

export function ConfigurationView() {
  const { query } = place.use();
  const nodes = usePoll((signal) => get('/nodes', {}, signal), 60_000);
  const { data, error, loading, refresh } = usePoll(
    (signal) => get('/configs', { node: query.node, limit: MAX_KEYS }, signal), UPDATE_MS, [query.node]);
  const matching = (data?.data ?? []).filter((entry) => isShown(entry, query));
  return html`<h1 tabindex="-1">Configuration</h1>
    <div class="filters" role="search">
      <${Search} value=${query.text ?? ''} />
      <${Field} field=${{ name: 'shown', label: 'Show', type: 'select', options: SHOWN }} value=${query.shown ?? ''}
        onInput=${(shown) => setQuery({ shown, page: '' })} />
      <${Field} field=${{ name: 'node', label: 'Node', type: 'select', options: nodeOptions(nodes.data) }} value=${query.node ?? ''}
        onInput=${(node) => setQuery({ node, page: '' })} />
    </div>
    <div class="toolbar"><span class="summary">${data ? `${count(matching.length)} of ${count(data.meta.count ?? data.data.length)} keys` : ''}</span>
      <span class="grow"></span><button type="button" onClick=${refresh} aria-busy=${loading}>Refresh</button></div>
    ${error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
    ${data?.meta.hasnext ? html`<${Banner} kind="warning">Only the first ${count(MAX_KEYS)} keys are shown. Use bin/fjordmq config show for the others.<//>` : null}
    <${PagedTable} caption="Configuration keys" columns=${columns(refresh)} rows=${matching} rowKey=${({ key }) => key} busy=${data === undefined && !error}
      empty=${error ? 'Not available.' : query.shown === 'api' ? 'No value was set through the API. Change a reloadable key to set one on all nodes.' : 'No key matches.'} />`;
}

const nodeOptions = (nodes) => [['', 'this node'],
  ...(nodes ?? []).filter(({ node_status: status }) => status === 'running').map(({ node, name }) => [node, name])];

const isChanged = (entry) => entry.value !== entry.default_value;

function isShown(entry, { text = '', shown = '' }) {
  const wanted = text.toLowerCase();
  return (entry.key.toLowerCase().includes(wanted) || entry.value.toLowerCase().includes(wanted))
    && (shown !== 'changed' || isChanged(entry)) && (shown !== 'reloadable' || entry.reloadable)
    && (shown !== 'api' || entry.api_value !== undefined);
}

// Takes effect when the user stops typing.
function Search({ value }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return html`<${Field} field=${{ name: 'text', label: 'Key or value contains', type: 'search' }} value=${typed} onInput=${(text) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery({ text: text.trim(), page: '' }), TYPING_MS);
  }} />`;
}

function columns(refresh) {
  return [
    { key: 'key', title: 'Key', main: true, cell: ({ key }) => html`<code>${key.split('.').map((part, i) => html`${i > 0 ? html`.<wbr />` : ''}${part}`)}</code>` },
    { key: 'value', title: 'Value', wrap: true, cell: (entry) => html`${entry.value === '' ? html`<span class="quiet">empty</span>` : entry.value}
      ${isChanged(entry) ? html` <${Badge} kind="warning">differs from default<//>` : null}
      ${entry.api_value !== undefined && entry.origin !== 'api'
        ? html` <${Badge} kind="error">the API set ${entry.api_value}, which this node does not use<//>` : null}` },
    { key: 'default_value', title: 'Default', wrap: true, cell: ({ default_value: value }) => value || html`<span class="quiet">empty</span>` },
    { key: 'origin', title: 'Set by', wrap: true, cell: ({ origin, source = '' }) => {
      const name = ORIGINS[origin] ?? origin;
      const where = source.startsWith(name) ? source.slice(name.length).trim() : source; // such as "environment variable NAME"
      return html`${name}${where ? html` <span class="quiet">${where}</span>` : null}`;
    } },
    { key: 'action', title: 'Action', cell: (entry) => (entry.reloadable ? html`
      <${ActionButton} role="administrator" allTenants kind="link" aria-label=${`Change ${entry.key}`} onClick=${() => change(entry, refresh)}>Change<//>${' '}
      ${entry.api_value === undefined ? null : html`<${ActionButton} role="administrator" allTenants kind="link" aria-label=${`Unset ${entry.key}`}
        onClick=${() => unset(entry, refresh)}>Unset<//>`}` : html`<span class="quiet">needs a restart</span>`) },
  ];
}

async function change({ key, value, default_value: initial, origin }, refresh) {
  const overridden = ['environment', 'system_property', 'command_line'].includes(origin);
  const done = await openForm({
    title: `Change ${key}`,
    body: `Sets the value on all nodes, and on nodes that start later. Default: ${initial || 'empty'}.${
      overridden ? ` This node keeps its value, because the ${ORIGINS[origin]} sets it.` : ''}`,
    action: 'Change',
    fields: [{ name: 'value', label: 'Value', value, hint: 'As in the configuration file, such as 100, 512 KiB, 30 s or true.' }],
    run: ({ value: changed = '' }) => put('/configs', { values: { [key]: changed } }),
  });
  if (done) {
    notify(`${key} was changed on all nodes.`);
    refresh();
  }
}

async function unset({ key }, refresh) {
  const done = await confirm({
    title: `Unset ${key}?`,
    body: 'Each node uses the value of its file again or, without one, the default.',
    action: 'Unset',
    danger: false,
    run: () => del(path`/configs/${key}`),
  });
  if (done) {
    notify(`${key} was unset.`);
    refresh();
  }
}
