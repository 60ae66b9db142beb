// The MQTT users in the database of the cluster.
import { del, path, post, put } from '../lib/api.js';
import { NONE, Time, yesNo } from '../lib/format.js';
import { html } from '../lib/html.js';
import { session } from '../lib/session.js';
import { confirm, openForm } from '../ui/dialog.js';
import { ActionButton, Badge } from '../ui/form.js';
import { ListView } from '../ui/list.js';
import { notify } from '../ui/notice.js';
import { UnusedDatabase } from './database-provider.js';

const USERS = path`/authentication/${'password_based:built_in_database'}/users`;

const FILTERS = [
  { name: 'like_user_id', label: 'Name contains', type: 'search' },
  { name: 'group', label: 'Group', type: 'search' },
  { name: 'is_superuser', label: 'Superuser', type: 'select', options: [['', 'all'], ['true', 'yes'], ['false', 'no']], more: true },
  { name: 'enable', label: 'Can log in', type: 'select', options: [['', 'all'], ['true', 'yes'], ['false', 'no']], more: true },
  { name: 'tenant', label: 'Tenant', more: true },
];

const COLUMNS = [
  { key: 'user_id', title: 'User', main: true, cell: ({ user_id: user, enable }) => html`${user}${enable ? null : html` <${Badge} kind="warning">disabled<//>`}` },
  { key: 'is_superuser', title: 'Superuser', cell: ({ is_superuser: superuser }) => yesNo(superuser) },
  { key: 'groups', title: 'Groups', wrap: true, cell: ({ groups }) => groups.join(', ') || NONE },
  { key: 'tenant', title: 'Tenant', cell: ({ tenant }) => tenant || '(default)' },
  { key: 'password_hash', title: 'Password', cell: ({ password_hash: hash, scram }) => [hash ?? 'none', ...scram].join(', ') },
  { key: 'created_at', title: 'Created', cell: ({ created_at: at }) => html`<${Time} at=${at} />` },
  { key: 'action', title: 'Actions', cell: (user, { refresh }) => html`
    <${ActionButton} role="administrator" kind="link" aria-label=${`Edit ${user.user_id}`} onClick=${() => edit(user, refresh)}>Edit<//>${' '}
    <${ActionButton} role="administrator" kind="link" aria-label=${`Set the password of ${user.user_id}`} onClick=${() => setPassword(user, refresh)}>Password<//>${' '}
    <${ActionButton} role="administrator" kind="link" aria-label=${`Delete ${user.user_id}`} onClick=${() => remove(user, refresh)}>Delete<//>` },
];

export function MqttUsersView() {
  return html`<h1 tabindex="-1">MQTT users</h1>
    <p class="quiet">MQTT users, for providers of types <code>database</code> and <code>scram</code>.
      <a href="#/mqtt-rules">MQTT rules</a> define what they may do.</p>
    <${UnusedDatabase} source="/authentication" list="securityConfig.authentication" types=${html`<code>database</code> or <code>scram</code>`}>
      This node does not authenticate clients with these users.<//>
    <${ListView} source=${USERS} filters=${FILTERS} columns=${COLUMNS} caption="MQTT users" rowKey=${({ user_id: user }) => user}
      empty="No user matches. Users that you or scripts add to the database appear here."
      toolbar=${({ refresh }) => html`<${ActionButton} role="administrator" kind="primary" onClick=${() => add(refresh)}>Add a user<//>`} />`;
}

// The fields that can be changed.
const properties = (user) => [
  { name: 'is_superuser', label: 'Superuser: may do everything', type: 'checkbox', value: user.is_superuser },
  { name: 'enable', label: 'Can log in', type: 'checkbox', value: user.enable },
  { name: 'groups', label: 'Groups', type: 'textarea', rows: 3, value: user.groups.join('\n'), hint: 'One per line, in the order of their evaluation.' },
  { name: 'client_attrs', label: 'Attributes', type: 'textarea', rows: 3,
    value: Object.entries(user.client_attrs).map(([name, value]) => `${name}=${value}`).join('\n'),
    hint: 'One NAME=VALUE per line, for the placeholder ${client_attrs.NAME} of rules.' },
];

const lines = (text = '') => text.split('\n').map((line) => line.trim()).filter((line) => line !== '');

function parsed({ groups, client_attrs: attributes, ...rest }) {
  const pairs = lines(attributes).map((line) => {
    const at = line.indexOf('=');
    if (at < 1) {
      throw new Error(`Invalid attribute "${line}": expected NAME=VALUE.`);
    }
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return { ...rest, groups: lines(groups), client_attrs: Object.fromEntries(pairs) };
}

// Others may have changed the other fields in the meantime.
const changes = (user, values) => Object.fromEntries(
  Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(user[name])));

async function add(refresh) {
  const bound = session.get().tenant !== null;
  const done = await openForm({
    title: 'Add an MQTT user',
    action: 'Add',
    fields: [
      { name: 'user_id', label: 'User name', required: true },
      { name: 'password', label: 'Password', type: 'password', required: true, autocomplete: 'new-password' },
      ...properties({ is_superuser: false, enable: true, groups: [], client_attrs: {} }),
      ...(bound ? [] : [{ name: 'tenant', label: 'Tenant', hint: 'Empty: the default tenant.' }]),
    ],
    run: async (values) => post(USERS, parsed(values)),
  });
  if (done) {
    notify('User added.');
    refresh();
  }
}

async function edit(user, refresh) {
  const done = await openForm({
    title: `Edit ${user.user_id}`,
    body: 'Changed groups take effect immediately. All other changes disconnect the clients of the user, on all nodes.',
    action: 'Save',
    fields: properties(user),
    run: async (values) => put(`${USERS}${path`/${user.user_id}`}`, changes(user, parsed(values))),
  });
  if (done) {
    notify(`${user.user_id} was changed.`);
    refresh();
  }
}

async function setPassword({ user_id: user }, refresh) {
  const done = await openForm({
    title: `Set the password of ${user}`,
    body: 'The clients of the user are disconnected on all nodes.',
    action: 'Set password',
    fields: [{ name: 'password', label: 'New password', type: 'password', required: true, autocomplete: 'new-password' }],
    run: ({ password }) => put(`${USERS}${path`/${user}`}`, { password }),
  });
  if (done) {
    notify(`The password of ${user} was set.`);
    refresh();
  }
}

async function remove({ user_id: user }, refresh) {
  const done = await confirm({
    title: `Delete ${user}?`,
    body: 'The clients of the user are disconnected on all nodes. Rules of the user remain.',
    action: 'Delete',
    run: () => del(`${USERS}${path`/${user}`}`),
  });
  if (done) {
    notify(`${user} was deleted.`);
    refresh();
  }
}
