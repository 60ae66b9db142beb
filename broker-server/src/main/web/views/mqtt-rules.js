// What MQTT clients may do: the rules of users, clients, groups and all clients in the database of the cluster.
import { del, get, path, post, put } from '../lib/api.js';
import { html } from '../lib/html.js';
import { usePoll } from '../lib/poll.js';
import { place } from '../lib/router.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { Banner, notify } from '../ui/notice.js';
import { UnusedDatabase } from './database-provider.js';

const RULES = '/authorization/sources/built_in_database/rules';
const UPDATE_MS = 10_000;

const KINDS = {
  users: { field: 'username', noun: 'user' },
  clients: { field: 'clientid', noun: 'client' },
  groups: { field: 'group', noun: 'group' },
};

const HINT = 'One rule per line, such as: allow publish devices/${username}/# or deny subscribe private/# qos=1,2. '
  + 'The action is publish, subscribe or all; qos=0,1 and retain=true or retain=false restrict a rule. The first rule that matches decides.';

export function MqttRulesView() {
  const { query } = place.use();
  const kind = KINDS[query.kind] ? query.kind : 'users';
  const { field, noun } = KINDS[kind];
  const { tenant } = query;
  const filters = [
    { name: `like_${field}`, label: 'Name contains', type: 'search' },
    { name: 'tenant', label: 'Tenant', more: true },
  ];
  const columns = [
    { key: field, title: noun[0].toUpperCase() + noun.slice(1), main: true },
    { key: 'rules', title: 'Rules', wrap: true, cell: ({ rules }) => html`<${Lines} rules=${rules} />` },
    { key: 'action', title: 'Actions', cell: (owner, { refresh }) => html`
      <${ActionButton} role="administrator" kind="link" aria-label=${`Edit the rules of ${owner[field]}`}
        onClick=${() => edit(kind, owner, tenant, refresh)}>Edit<//>${' '}
      <${ActionButton} role="administrator" kind="link" aria-label=${`Delete the rules of ${owner[field]}`}
        onClick=${() => remove(kind, owner[field], tenant, refresh)}>Delete<//>` },
  ];
  return html`<h1 tabindex="-1">MQTT rules</h1>
    <p class="quiet">The rules of the client are evaluated first, then those of the user, of its groups, and of all clients.
      Actions that no rule allows are denied. Users and their groups are in <a href="#/mqtt-users">MQTT users</a>.</p>
    <${UnusedDatabase} source="/authorization/sources" list="securityConfig.authorization" types=${html`<code>database</code>`}>
      This node does not apply these rules.<//>
    <${RulesOfAll} tenant=${tenant} />
    <nav class="toolbar" aria-label="Kinds of rules">${Object.entries(KINDS).map(([name, { noun: title }]) => html`<a
      href=${`#/mqtt-rules?${new URLSearchParams({ kind: name, ...(tenant ? { tenant } : {}) })}`} aria-current=${name === kind ? 'page' : undefined}>Rules of ${title}s</a>${' '}`)}</nav>
    <${ListView} key=${kind} source=${`${RULES}/${kind}`} filters=${filters} columns=${columns} caption=${`Rules of ${noun}s`}
      rowKey=${(owner) => owner[field]} empty=${`No ${noun} has rules, or none matches.`}
      toolbar=${({ refresh }) => html`<${ActionButton} role="administrator" kind="primary"
        onClick=${() => add(kind, tenant, refresh)}>Add rules of a ${noun}<//>`} />`;
}

function RulesOfAll({ tenant }) {
  const { data, error, refresh } = usePoll((signal) => get(`${RULES}/all`, { tenant }, signal), UPDATE_MS, [tenant]);
  return html`<section class="panel" aria-label="Rules of all clients">
    <div class="section-head"><h2>Rules of all clients</h2>
      ${data ? html`<${ActionButton} role="administrator" aria-label="Edit the rules of all clients"
        onClick=${() => editAll(data, tenant, refresh)}>Edit<//>` : null}</div>
    ${error && !error.temporary ? html`<${Banner} kind="error">${error.message}<//>` : null}
    ${data?.rules.length === 0 ? html`<p class="quiet">None.</p>` : html`<${Lines} rules=${data?.rules ?? []} />`}
  </section>`;
}

function Lines({ rules }) {
  return html`${rules.map((rule) => html`<div><code>${line(rule)}</code></div>`)}`;
}

function line({ permission, action, topic, qos, retain }) {
  return `${permission} ${action} ${topic}${qos ? ` qos=${qos.join(',')}` : ''}${retain === undefined ? '' : ` retain=${retain}`}`;
}

// Parses what `line` writes. Topics may contain spaces.
function parseLine(text) {
  const found = /^(allow|deny) +(publish|subscribe|all) +(.+?)(?: +qos=([0-2](?:,[0-2])*))?(?: +retain=(true|false))?$/.exec(text);
  if (!found) {
    throw new Error(`Invalid rule "${text}": expected a rule such as "allow publish site/#".`);
  }
  const [, permission, action, topic, qos, retain] = found;
  return {
    permission,
    action,
    topic,
    qos: qos === undefined ? undefined : qos.split(',').map(Number),
    retain: retain === undefined ? undefined : retain === 'true',
  };
}

const parse = (text = '') => text.split('\n').map((one) => one.trim()).filter((one) => one !== '').map(parseLine);

const rulesField = (rules) => ({ name: 'rules', label: 'Rules', type: 'textarea', rows: 8, value: rules.map(line).join('\n'), hint: HINT });

async function add(kind, tenant, refresh) {
  const { field, noun } = KINDS[kind];
  const done = await openForm({
    title: `Add rules of a ${noun}`,
    action: 'Add',
    fields: [{ name: 'name', label: `Name of the ${noun}`, required: true }, rulesField([])],
    run: async ({ name, rules }) => post(`${RULES}/${kind}`, [{ [field]: name, rules: parse(rules) }], { tenant }),
  });
  if (done) {
    notify('Rules added.');
    refresh();
  }
}

async function edit(kind, owner, tenant, refresh) {
  const { field, noun } = KINDS[kind];
  const name = owner[field];
  const done = await openForm({
    title: `Rules of ${noun} ${name}`,
    body: 'The changed rules apply to connected clients from their next action.',
    action: 'Save',
    fields: [rulesField(owner.rules)],
    run: async ({ rules }) => put(`${RULES}/${kind}${path`/${name}`}`, { [field]: name, rules: parse(rules), version: owner.version }, { tenant }),
  });
  if (done) {
    notify(`The rules of ${name} were changed.`);
    refresh();
  }
}

async function editAll({ rules, version }, tenant, refresh) {
  const done = await openForm({
    title: 'Rules of all clients',
    body: 'The changed rules apply to connected clients from their next action.',
    action: 'Save',
    fields: [rulesField(rules)],
    run: async (values) => post(`${RULES}/all`, { rules: parse(values.rules), version }, { tenant }),
  });
  if (done) {
    notify('The rules of all clients were changed.');
    refresh();
  }
}

async function remove(kind, name, tenant, refresh) {
  const done = await confirm({
    title: `Delete the rules of ${name}?`,
    body: 'Its clients may then do only what other rules allow.',
    action: 'Delete',
    run: () => del(`${RULES}/${kind}${path`/${name}`}`, { tenant }),
  });
  if (done) {
    notify(`The rules of ${name} were deleted.`);
    refresh();
  }
}
