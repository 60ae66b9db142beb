// Users that are bound to a tenant see nothing of other tenants, and the page does not even ask for it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PASSWORD, newPage, settled, show, useLogin } from './browser.js';
import { closed, pressEverything, viewLinks } from './checks.js';
import { connectDevice, ofTenant } from './devices.js';

const OWN = 'acme';
const OTHERS = ['globex', 'common']; // "common" is in the names of things in the default tenant

// Views that list something of the tenant.
const LISTS = ['#/clients', '#/subscriptions', '#/topics', '#/retained', '#/topic-metrics', '#/traces', '#/bans'];

async function operatorOfATenantSeesOnlyThisTenant({ browser, node, other }) {
  const remove = await furnishTenants(node, other);
  const page = await tenantPage(browser, other, 'tara', 'operator');
  await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor(); // the first view that the user may see
  await seesOnlyItsTenant(page);

  await show(page, '#/messages');
  await page.getByText(`tenant ${OWN}`, { exact: false }).first().waitFor();
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByLabel('Topic filter').fill('#');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await page.getByRole('list', { name: 'Subscriptions' }).getByText('#', { exact: true }).waitFor();
  for (const tenant of ['globex', OWN]) {
    const device = await connectDevice(node, 'publisher', ofTenant(tenant));
    await device.publishAsync(`${tenant}/live`, 'on', { qos: 1 });
    await device.endAsync();
  }
  await page.getByRole('rowheader', { name: `${OWN}/live` }).waitFor();
  assert.equal(await page.getByRole('rowheader', { name: 'globex/live' }).count(), 0);

  await show(page, `#/clients/${OWN}-device`);
  const device = await connectDevice(node, `${OWN}-device`, ofTenant(OWN));
  const kicked = once(device, 'disconnect');
  await page.getByRole('button', { name: 'Kick' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Kick' }).click();
  assert.equal((await kicked)[0].reasonCode, 0x98);

  await show(page, '#/clients/globex-device?tenant=globex'); // a link from somebody else
  await page.getByText("bound to a tenant other than 'globex'").first().waitFor();
  assert.equal(await page.getByRole('region', { name: 'State' }).count(), 0);
  await remove();
  await closed(page);
}

async function viewerOfATenantChangesNothing({ browser, node, other }) {
  const remove = await furnishTenants(node, other);
  const page = await tenantPage(browser, node, 'theo', 'viewer');
  await page.getByText(`You are a viewer of tenant ${OWN}`).waitFor();
  await seesOnlyItsTenant(page, () => pressEverything(page));
  const changes = page.requests.filter(({ method }) => method !== 'GET');
  assert.deepEqual(changes, []);
  await remove();
  await closed(page);
}

// Looks at every view. Nothing of another tenant may be on the screen or in a response, and no request may be refused,
// because the page knows in advance what concerns all tenants.
async function seesOnlyItsTenant(page, press = async () => {}) {
  const answers = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/v5/')) {
      answers.push(response.text().catch(() => '').then((text) => ({ url: response.url(), status: response.status(), text })));
    }
  });
  for (const hash of await viewLinks(page)) {
    await show(page, hash);
    const text = await page.locator('body').innerText();
    OTHERS.forEach((name) => assert.ok(!text.includes(name), `${hash} shows ${name}`));
    if (LISTS.includes(hash)) {
      assert.ok(text.includes(OWN), `${hash} shows nothing of ${OWN}`);
    }
    assert.equal(await page.getByLabel('Tenant', { exact: true }).count(), 0, `${hash} offers other tenants`);
    await press();
  }
  for (const { url, status, text } of await Promise.all(answers)) {
    assert.ok(status !== 403, `the page asked for what it may not see: ${url}`);
    OTHERS.forEach((name) => assert.ok(!text.includes(name), `${url} returned ${name}`));
  }
}

async function tenantPage(browser, node, username, role) {
  const known = await node.api('GET', '/users');
  if (!known.some((user) => user.username === username)) {
    await node.api('POST', '/users', { username, password: PASSWORD, role, tenant: OWN });
  }
  const page = await newPage(browser, { origin: node.url });
  await useLogin(page, node, username);
  await page.goto(node.url);
  await settled(page);
  return page;
}

// Three tenants with one of everything. Returns a function that removes it.
async function furnishTenants(node, other) {
  const devices = [];
  for (const [tenant, name] of [[OWN, OWN], ['globex', 'globex'], ['', 'common']]) {
    const device = await connectDevice(other, `${name}-device`, tenant === '' ? {} : ofTenant(tenant));
    devices.push(device);
    await device.subscribeAsync(`${name}/#`, { qos: 1 });
    await device.publishAsync(`${name}/label`, name, { qos: 1, retain: true });
    await node.api('POST', '/banned', { as: 'clientid', who: `${name}-banned`, reason: name, tenant });
    await node.api('POST', '/trace', { name: `${name}-trace`, type: 'topic', topic: `${name}/#`, tenant });
    await node.api('POST', `/mqtt/topic_metrics?tenant=${tenant}`, { topic: `${name}/label` });
  }
  return async () => {
    await Promise.all(devices.map((device) => device.endAsync(true)));
    for (const [tenant, name] of [[OWN, OWN], ['globex', 'globex'], ['', 'common']]) {
      await node.api('DELETE', `/mqtt/retainer/message/${name}%2Flabel?tenant=${tenant}`);
      await node.api('DELETE', `/banned/clientid/${name}-banned?tenant=${tenant}`);
      await node.api('DELETE', `/trace/${name}-trace?tenant=${tenant}`);
      await node.api('DELETE', `/mqtt/topic_metrics/${name}%2Flabel?tenant=${tenant}`);
    }
  };
}

export const TENANT_CHECKS = { operatorOfATenantSeesOnlyThisTenant, viewerOfATenantChangesNothing };
