// One action for each view of subscriptions, topics, retained messages, and of the groups Diagnosis and Administration.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { newPage, settled, show, useLogin } from './browser.js';
import { adminPage, closed } from './checks.js';
import { connectDevice } from './devices.js';

const SETTING = 'sessionConfig.maxQueuedMessages';

const confirmed = (page, action) => page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
const saidSo = (page, text) => page.getByRole('status').getByText(text).first().waitFor();

async function subscriptionIsRemoved({ browser, node, other }) {
  const device = await connectDevice(other, 'lamp-1');
  await device.subscribeAsync('lamps/1/#', { qos: 1 });
  const page = await adminPage({ browser, node }, {}, '#/subscriptions');
  await page.getByLabel('Matched by topic filter').fill('lamps/#');
  await page.getByRole('rowheader', { name: 'lamps/1/#' }).waitFor();
  assert.match(page.url(), /match_topic=lamps/, 'the URL contains the filter');
  await page.getByRole('button', { name: 'Unsubscribe lamp-1 from lamps/1/#' }).click();
  await confirmed(page, 'Unsubscribe');
  await saidSo(page, 'lamp-1 no longer subscribes to lamps/1/#.');
  await page.getByText('No subscription matches.').waitFor();
  await device.endAsync();
  await closed(page);
}

async function topicTreeIsOpened({ browser, node, other }) {
  const device = await connectDevice(other, 'lamp-2');
  await device.subscribeAsync(['tree/a/x', 'tree/a/y', 'tree/b', '/tree'], { qos: 1 });
  const page = await adminPage({ browser, node }, {}, '#/topics');
  const tree = page.getByRole('region', { name: 'Topic tree' });
  await tree.getByText('(empty)').waitFor();
  assert.equal(await tree.getByText('x', { exact: true }).count(), 0, 'levels are loaded when they are opened');
  await tree.getByRole('button', { name: 'Open tree', exact: true }).click();
  await tree.getByRole('button', { name: 'Open tree/a', exact: true }).click();
  await tree.getByRole('button', { name: 'x', exact: true }).click();
  const subscribers = page.getByRole('region', { name: 'Subscribers' });
  await subscribers.getByText('tree/a/x').waitFor();
  await subscribers.getByText('Nodes with connected subscribers').waitFor();
  await page.goto(`${node.url}/#/topics?prefix=tree%2Fa%2F`); // a link into the tree
  await tree.getByRole('button', { name: 'y', exact: true }).waitFor();
  await subscribers.getByText('Select a topic filter').waitFor();
  await device.endAsync();
  await closed(page);
}

async function retainedMessageIsShownAndDeleted({ browser, node, other }) {
  const device = await connectDevice(other, 'lamp-3');
  await device.publishAsync('shelf/1', 'the retained payload', { qos: 1, retain: true });
  await device.endAsync();
  const page = await adminPage({ browser, node }, {}, '#/retained?topic=shelf%2F%23');
  await page.getByRole('link', { name: 'shelf/1' }).click();
  await page.getByRole('region', { name: 'Message' }).getByText('lamp-3').waitFor();
  assert.equal(await page.getByText('the retained payload').count(), 0);
  assert.equal(page.requests.some(({ url }) => /max_payload_bytes=[^0]/.test(url)), false, 'no payload is loaded');
  await page.getByRole('button', { name: 'Show payload' }).click();
  await page.getByText('the retained payload').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await confirmed(page, 'Delete');
  await saidSo(page, 'The retained message of shelf/1 was deleted.');
  await show(page, '#/retained?topic=shelf%2F%23');
  await page.getByText('No retained message matches.').waitFor();
  await closed(page);
}

async function userIsAddedEditedAndDeleted({ browser, node, other }) {
  const users = `/authentication/${encodeURIComponent('password_based:built_in_database')}/users`;
  const page = await adminPage({ browser, node }, {}, '#/mqtt-users');
  await page.getByText('This node does not authenticate clients with these users.').waitFor();
  await page.getByRole('button', { name: 'Add a user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User name').fill('meter/1');
  await dialog.getByLabel('Password').fill('secret');
  await dialog.getByLabel('Attributes').fill('nonsense');
  await confirmed(page, 'Add');
  await dialog.getByRole('alert').getByText('NAME=VALUE').waitFor();
  await dialog.getByLabel('Attributes').fill('site=oslo');
  await confirmed(page, 'Add');
  await saidSo(page, 'User added.');
  await page.getByRole('button', { name: 'Edit meter/1' }).click();
  await dialog.getByLabel('Groups').fill('meters\nall');
  await dialog.getByLabel('Can log in').uncheck();
  await confirmed(page, 'Save');
  await saidSo(page, 'meter/1 was changed.');
  const stored = await other.api('GET', `${users}/meter%2F1`);
  assert.deepEqual([stored.groups, stored.client_attrs, stored.enable], [['meters', 'all'], { site: 'oslo' }, false]);
  await page.getByLabel('Name contains').fill('nobody');
  await page.getByText('No user matches.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: 'Delete meter/1' }).click();
  await confirmed(page, 'Delete');
  await saidSo(page, 'meter/1 was deleted.');
  await closed(page);
}

async function databaseInUseIsNotWarnedOf({ browser, node }) {
  const page = await adminPage({ browser, node });
  const provider = { id: 'scram:built_in_database', type: 'built_in_database', backend: 'built_in_database', enable: true };
  for (const [hash, list, warning] of [
    ['#/mqtt-users', '**/api/v5/authentication?*', 'This node does not authenticate clients with these users.'],
    ['#/mqtt-rules', '**/api/v5/authorization/sources?*', 'This node does not apply these rules.'],
  ]) {
    await show(page, hash);
    await page.getByText(warning).waitFor();
    const answer = (providers) => (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify({ data: providers, meta: {} }) });
    await page.route(list, answer([provider]));
    await show(page, '#/clients');
    const answered = page.waitForResponse(list);
    await show(page, hash);
    await answered;
    await page.getByText(warning).waitFor({ state: 'detached' });
    await page.unroute(list);
    await page.route(list, answer([{ ...provider, enable: false }]));
    await show(page, '#/clients');
    await show(page, hash);
    await page.getByText(warning).waitFor();
    await page.unroute(list);
  }
  await closed(page);
}

async function rulesAreAddedAndEdited({ browser, node, other }) {
  const rules = '/authorization/sources/built_in_database/rules';
  const page = await adminPage({ browser, node }, {}, '#/mqtt-rules?kind=groups');
  await page.getByText('This node does not apply these rules.').waitFor();
  await page.getByRole('button', { name: 'Add rules of a group' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the group').fill('meters');
  await dialog.getByLabel('Rules').fill('allow nothing a');
  await confirmed(page, 'Add');
  await dialog.getByRole('alert').getByText('Invalid rule').waitFor();
  await dialog.getByLabel('Rules').fill('deny publish a b/# qos=1,2 retain=true\nallow all ${clientid}/#');
  await confirmed(page, 'Add');
  await saidSo(page, 'Rules added.');
  await page.getByRole('button', { name: 'Edit the rules of meters' }).click();
  assert.equal(await dialog.getByLabel('Rules').inputValue(), 'deny publish a b/# qos=1,2 retain=true\nallow all ${clientid}/#');
  await confirmed(page, 'Save');
  await saidSo(page, 'The rules of meters were changed.');
  const stored = await other.api('GET', `${rules}/groups/meters`);
  assert.deepEqual(stored.rules[0], { topic: 'a b/#', permission: 'deny', action: 'publish', qos: [1, 2], retain: true });
  await page.getByRole('button', { name: 'Edit the rules of all clients' }).click();
  await dialog.getByLabel('Rules').fill('allow subscribe news/#');
  await confirmed(page, 'Save');
  await page.getByRole('region', { name: 'Rules of all clients' }).getByText('allow subscribe news/#').waitFor();
  await page.getByRole('button', { name: 'Delete the rules of meters' }).click();
  await confirmed(page, 'Delete');
  await saidSo(page, 'The rules of meters were deleted.');
  await other.api('DELETE', `${rules}/all`);
  await closed(page);
}

async function banKeepsAClientAway({ browser, node, other }) {
  const page = await adminPage({ browser, node }, {}, '#/bans');
  await page.getByText('There are no bans.').waitFor();
  await page.getByRole('button', { name: 'Add a ban' }).click();
  await page.getByLabel('Value').fill('lamp-4');
  await page.getByRole('dialog').getByLabel('Reason').fill('flickers');
  await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click();
  await page.getByRole('rowheader', { name: 'lamp-4' }).waitFor();
  await page.getByRole('cell', { name: 'flickers' }).waitFor();
  await assert.rejects(connectDevice(other, 'lamp-4'), /banned/i);
  await page.getByRole('button', { name: 'Delete the ban of lamp-4' }).click();
  await confirmed(page, 'Delete');
  await page.getByText('There are no bans.').waitFor();
  const device = await connectDevice(other, 'lamp-4');
  await device.endAsync();
  await closed(page);
}

async function alarmsHaveAHistory({ browser, node }) {
  const page = await adminPage({ browser, node }, {}, '#/alarms');
  await page.getByText(/Nothing is wrong\.|What is wrong/).first().waitFor();
  await page.getByLabel('Alarms', { exact: true }).selectOption('history');
  await page.waitForFunction(() => location.hash.includes('activated=false'));
  await settled(page);
  assert.ok(page.requests.some(({ url }) => url.includes('/alarms?activated=false')));
  await closed(page);
}

// The shell asks again when the view changes, and the list of alarms tells it what it has found.
async function alarmsAreCountedAboveTheView({ browser, node }) {
  const page = await adminPage({ browser, node }, {}, '#/clients');
  const asked = () => page.requests.filter(({ url }) => url.includes('/alarms?limit=100')).length;
  const before = asked();
  const alarm = { name: 'disk_low', node: 'n', message: 'Low disk space', details: {}, reported_by: ['n'], activate_at: new Date().toISOString(), duration: 1 };
  await page.route('**/alarms?limit=100', () => {}); // never responds, so that only the view can tell
  await page.route('**/alarms?limit=50', (route) => route.fulfill({ json: { data: [alarm], meta: { count: 1, hasnext: false } } }));
  await show(page, '#/alarms');
  await page.getByRole('rowheader', { name: 'disk low' }).waitFor();
  await page.locator('header').getByText('1 alarm', { exact: true }).waitFor();
  assert.ok(asked() > before);
  await closed(page);
}

async function traceIsRecorded({ browser, node, other }) {
  const page = await adminPage({ browser, node }, {}, '#/traces');
  await page.getByRole('button', { name: 'Start a trace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('lamp');
  await dialog.getByLabel('Client identifier').fill('lamp-5');
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('row', { name: /lamp-5/ }).getByText('running').waitFor();
  const device = await connectDevice(other, 'lamp-5');
  await device.publishAsync('lamps/5', 'secret', { qos: 1 });
  await device.endAsync();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download lamp' }).click();
  const text = await readFile(await (await downloading).path(), 'utf8');
  assert.match(text, /CONNECT/);
  assert.match(text, /topic=lamps\/5/);
  assert.doesNotMatch(text, /secret/);
  await page.getByRole('button', { name: 'Stop lamp' }).click();
  await confirmed(page, 'Stop');
  await page.getByRole('row', { name: /lamp-5/ }).getByText('stopped').waitFor();
  await page.getByRole('button', { name: 'Delete lamp' }).click();
  await confirmed(page, 'Delete');
  await page.getByText('No traces.').waitFor();
  await closed(page);
}

async function settingIsChanged({ browser, node }) {
  const page = await adminPage({ browser, node }, {}, '#/configuration');
  await page.getByLabel('Key or value contains').fill(SETTING);
  await page.getByRole('button', { name: `Change ${SETTING}` }).click();
  const dialog = page.getByRole('dialog', { name: `Change ${SETTING}` });
  await dialog.getByLabel('Value').fill('many');
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.getByRole('alert').getByText(/many/).waitFor(); // the reason why the node refuses it
  await dialog.getByLabel('Value').fill('123');
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  const row = page.getByRole('row', { name: new RegExp(SETTING) });
  await row.getByText('differs from default').waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('changed');
  await row.getByText('API', { exact: true }).waitFor();
  await page.getByRole('button', { name: `Unset ${SETTING}` }).click();
  await confirmed(page, 'Unset');
  await page.getByText('No key matches.').waitFor();
  await closed(page);
}

async function topicIsCounted({ browser, node, other }) {
  const page = await adminPage({ browser, node }, {}, '#/topic-metrics');
  await page.getByRole('button', { name: 'Register a topic' }).click();
  await page.getByRole('dialog').getByLabel('Topic').fill('lamps/6');
  await page.getByRole('dialog').getByRole('button', { name: 'Register', exact: true }).click();
  const row = page.getByRole('row', { name: /lamps\/6/ });
  await row.waitFor();
  const device = await connectDevice(other, 'lamp-6');
  await device.publishAsync('lamps/6', 'on', { qos: 1 });
  await device.endAsync();
  await row.getByRole('cell', { name: /^1 · / }).first().waitFor();
  await page.getByRole('button', { name: 'Remove lamps/6' }).click();
  await confirmed(page, 'Remove');
  await page.getByText('No topic is registered.').waitFor();
  await closed(page);
}

async function auditTellsWhoDidIt({ browser, node }) {
  await node.api('POST', '/banned', { as: 'clientid', who: 'lamp-7' });
  await node.api('DELETE', '/banned/clientid/lamp-7');
  const page = await adminPage({ browser, node }, {}, '#/audit');
  await page.getByLabel('Operation').fill('createBan');
  await page.waitForFunction(() => location.hash.includes('operation_id=createBan'));
  await page.getByRole('row', { name: /deleteBan/ }).first().waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /createBan/ }).first().waitFor();
  await closed(page);
  const viewer = await newPage(browser, { origin: node.url });
  await useLogin(viewer, node, 'victor');
  await viewer.goto(`${node.url}/#/audit`);
  await viewer.getByText('Requires the role administrator').waitFor();
  assert.ok(!viewer.requests.some(({ url }) => url.includes('/api/v5/audit')), 'the page does not ask for what it may not see');
  await closed(viewer);
}

async function emptyViewsSayWhatWouldBeThere({ browser, node }) {
  const page = await adminPage({ browser, node });
  for (const [hash, text] of [['#/plugins', 'No node has plugins.'], ['#/slow-subscriptions', 'No subscriber is slow'],
    ['#/retained/none', 'The topic has no retained message.'], ['#/subscriptions?clientid=nobody', 'No subscription matches.']]) {
    await show(page, hash);
    await page.getByText(text).waitFor();
  }
  await closed(page);
}

export const VIEW_CHECKS = {
  subscriptionIsRemoved,
  topicTreeIsOpened,
  retainedMessageIsShownAndDeleted,
  userIsAddedEditedAndDeleted,
  databaseInUseIsNotWarnedOf,
  rulesAreAddedAndEdited,
  banKeepsAClientAway,
  alarmsHaveAHistory,
  alarmsAreCountedAboveTheView,
  traceIsRecorded,
  settingIsChanged,
  topicIsCounted,
  auditTellsWhoDidIt,
  emptyViewsSayWhatWouldBeThere,
};
