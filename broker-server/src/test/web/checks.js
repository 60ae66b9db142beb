// What the page must do, on one node and on three. A check throws if it fails; they run in this order.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { DESKTOP, PASSWORD, PHONE, READER, newPage, settled, show, useLogin, violations } from './browser.js';
import { CONNECTED_CHECKS } from './connected-checks.js';
import { connectDevice } from './devices.js';
import { furnish } from './samples.js';
import { LARGE_CHECKS } from './large-checks.js';
import { TENANT_CHECKS } from './tenant-checks.js';
import { VIEW_CHECKS } from './view-checks.js';

const MAX_BYTES = 300_000;
const MAX_REQUESTS = 14;
const LOADS = 11;

// Examples for the parameters of views; the views themselves come from views/index.js.
const EXAMPLES = { ':clientid': 'sensor-1', ':topic': 'site%2F1%2Flabel' };

export const adminPage = async ({ browser, node }, options = {}, hash = '') => {
  const page = await newPage(browser, { origin: node.url, ...options });
  await useLogin(page, node, 'ada');
  await page.goto(`${node.url}/${hash}`);
  await settled(page);
  return page;
};

export const closed = async (page) => {
  assert.deepEqual(page.problems, []);
  await page.context().close();
};

async function loginIsNeeded({ browser, node }) {
  const page = await newPage(browser, { origin: node.url });
  await page.goto(`${node.url}/#/clients`);
  await page.getByText('No account yet?').click();
  await page.getByText('bin/fjordmq users add NAME --role administrator').waitFor();
  await page.getByLabel('User name').fill('ada');
  await page.getByLabel('Password').fill('wrong password');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').getByText(/wrong user name, password/).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor(); // where the link leads
  await page.reload(); // the login survives, because it belongs to the tab
  await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('Password').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.getItem('fjordmq.session')), null);
  await closed(page);
}

// With an empty cache, from the start of the navigation until the overview shows values. The time depends on the host and
// on what else it does, so it is printed only; what the page is made of is checked.
async function pageIsSmall({ browser, node }) {
  const loads = [];
  for (let i = 0; i < LOADS; i++) {
    const page = await newPage(browser, { origin: node.url });
    await useLogin(page, node, 'ada');
    await page.addInitScript(() => {
      new MutationObserver((changes, observer) => {
        if (document.querySelector('.tile dd')) {
          observer.disconnect();
          performance.mark('values');
        }
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(node.url, { waitUntil: 'load' });
    await page.locator('.chart canvas').first().waitFor();
    loads.push(await page.evaluate(() => {
      const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
      return {
        ms: performance.getEntriesByName('values')[0].startTime,
        bytes: entries.reduce((sum, entry) => sum + entry.transferSize, 0),
        urls: entries.map(({ name }) => new URL(name).pathname),
      };
    }));
    await closed(page);
  }
  const [{ bytes, urls }] = loads;
  const times = loads.map(({ ms }) => Math.round(ms)).sort((one, other) => one - other);
  console.log(`   values are shown after ${times[LOADS >> 1]} ms (median of ${LOADS}; ${times[0]} to ${times.at(-1)}; load average ${
    loadavg()[0].toFixed(1)} on ${cpus().length} processors), ${Math.round(bytes / 1000)} kB in ${urls.length} requests`);
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes were transferred`);
  assert.ok(urls.length <= MAX_REQUESTS, `requests: ${urls}`);
  const twice = urls.filter((url, i) => urls.indexOf(url) !== i && !url.endsWith('/icon.svg')); // the icon comes from the cache
  assert.deepEqual(twice, [], 'nothing is requested twice');
}

// Modules that calculate, rather than show something.
async function modulesAreRight({ browser, node }) {
  const page = await adminPage({ browser, node });
  const found = await page.evaluate(async () => {
    const { modules } = await import(document.querySelector('script[src$="/page.js"]').src);
    const { bytes, duration, micros } = modules['lib/format.js'];
    const { rangeChanges } = modules['lib/range-changes.js'];
    const { path } = modules['lib/api.js'];
    const { link, match } = modules['lib/router.js'];
    const { backOff } = modules['lib/poll.js'];
    const range = (id, leader, voters = [leader]) => ({ range: id, leader, voters: voters.map((one) => ({ node: one })), learners: [] });
    const changes = (before, after) => rangeChanges(before, after, (id) => id.toUpperCase()).map((change) => `${change.range} ${change.text}`);
    return {
      texts: [bytes(1536), duration(0), duration(3_723_000), duration(86_400_000), micros(999), micros(2_500), bytes(undefined)],
      split: changes([range('inbox-1', 'a')], [range('inbox-1', 'a'), range('inbox-4', 'a')]),
      merged: changes([range('inbox-1', 'a'), range('inbox-4', 'a')], [range('inbox-1', 'a')]),
      moved: changes([range('dist-1', 'a', ['a', 'b'])], [range('dist-1', 'b', ['b', 'c'])]),
      urls: [path`/clients/${'a/b?c'}/events`, link`/clients/${'ø &'}`],
      matches: [match('/clients/:clientid', ['clients', 'x']), match('/clients', ['clients', 'x'])],
      backOff: [1, 5, 50].map(backOff),
    };
  });
  assert.deepEqual(found.texts, ['1.5 KiB', '0 s', '1 h 2 min', '1 d', '999 µs', '2.5 ms', '–']);
  assert.deepEqual(found.split, ['inbox-4 split from inbox-1']);
  assert.deepEqual(found.merged, ['inbox-4 merged into inbox-1']);
  assert.deepEqual(found.moved, ['dist-1 led by B instead of A', 'dist-1 voter added on C', 'dist-1 voter removed from A']);
  assert.deepEqual(found.urls, ['/clients/a%2Fb%3Fc/events', '#/clients/%C3%B8%20%26']);
  assert.deepEqual(found.matches, [{ clientid: 'x' }, null]);
  found.backOff.forEach((ms, i) => assert.ok(ms >= [400, 6_400, 6_400][i] && ms <= [600, 9_600, 9_600][i], `${ms}`));
  await closed(page);
}

async function clientIsFoundAndKicked({ browser, node }) {
  const device = await connectDevice(node, 'sensor-1', { clean: false, properties: { sessionExpiryInterval: 3_600 } });
  await device.subscribeAsync('site/1/#', { qos: 1 });
  const page = await adminPage({ browser, node }, {}, '#/clients');
  await page.getByLabel('Client identifier contains').fill('sensor-');
  // Preact 10.28.0 did not show a new row beside one that was there before.
  await page.getByRole('link', { name: 'sensor-1' }).click();
  await page.getByRole('heading', { name: /sensor-1/, level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Subscriptions', exact: true }).getByText('site/1/#').waitFor();
  const kicked = once(device, 'disconnect');
  await page.getByRole('button', { name: 'Kick' }).click();
  const dialog = page.getByRole('dialog', { name: 'Kick sensor-1?' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Kick', 'the focus returns');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Kick' }).click();
  await page.getByText('No node currently knows this client').waitFor();
  const why = page.getByRole('region', { name: 'Why: recent events' });
  await why.getByText(/administrative action/i).first().waitFor();
  const [packet] = await kicked;
  assert.equal(packet.reasonCode, 0x98);
  await timeIsThatOfTheReader(why.locator('time').first());
  await show(page, '#/clients?like_clientid=sensor-1');
  await page.getByText('No client matches.').waitFor();
  await closed(page);
}

async function timeIsThatOfTheReader(time) {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: READER.timezoneId, hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const at = await time.getAttribute('datetime');
  assert.ok((await time.innerText()).includes(format.format(new Date(at))), `${at} is shown as ${await time.innerText()}`);
}

async function payloadsAreShownOnlyWhenAsked({ browser, node }) {
  const device = await connectDevice(node, 'sensor-2', { clean: false, properties: { sessionExpiryInterval: 3_600 } });
  await device.subscribeAsync('site/2/#', { qos: 1 });
  await device.endAsync();
  await node.api('POST', '/publish', { topic: 'site/2/secret', payload: 'the secret payload', qos: 1 });
  const page = await adminPage({ browser, node }, {}, '#/clients/sensor-2');
  await page.getByRole('button', { name: 'List messages' }).click();
  await page.getByText('site/2/secret').waitFor();
  assert.equal(await page.getByText('the secret payload').count(), 0);
  await page.getByRole('button', { name: 'Show payloads' }).click();
  await page.getByText('the secret payload').waitFor();
  await closed(page);
}

async function browserPublishesAndReceives({ browser, node, other }) {
  const page = await adminPage({ browser, node }, {}, '#/messages');
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByLabel('Topic filter').fill('try/#');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await page.getByRole('list', { name: 'Subscriptions' }).getByText('try/#').waitFor();
  await page.locator('input[name=topic]').fill('try/out');
  await page.getByLabel('Payload (text)').fill('hello from the browser');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('status').getByText('Published to try/out.').waitFor();
  await page.getByRole('rowheader', { name: 'try/out' }).waitFor();
  assert.equal(await page.getByRole('cell', { name: 'hello from the browser' }).count(), 0);
  await page.getByLabel('Show payloads').check();
  await page.getByRole('cell', { name: 'hello from the browser' }).waitFor();
  // From a device on another node, if there is one.
  const device = await connectDevice(other, 'publisher-1');
  await device.publishAsync('try/device', 'hello from a device', { qos: 1 });
  await device.endAsync();
  await page.getByRole('cell', { name: 'hello from a device' }).waitFor();
  const [client] = (await node.api('GET', '/clients?like_username=api:ada')).data;
  assert.equal(client.listener, 'httpConfig');
  assert.match(client.clientid, /^web-ada-/);
  await closed(page);
}

async function rangeIsSplit({ browser, node }) {
  const page = await adminPage({ browser, node }, {}, '#/nodes');
  const store = page.getByRole('region', { name: 'Store inbox', exact: true });
  const ranges = await store.locator('.segment').count();
  await store.locator('.segment').first().click();
  await page.getByRole('button', { name: 'Split', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Split' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.waitForFunction((before) => document.querySelectorAll('[aria-label="Store inbox"] .segment').length > before, ranges);
  await page.getByRole('region', { name: 'Changes' }).getByText(/split from inbox-/).first().waitFor();
  await closed(page);
}

async function viewerChangesNothing({ browser, node }) {
  const page = await newPage(browser, { origin: node.url });
  await useLogin(page, node, 'victor');
  await page.goto(node.url);
  const device = await connectDevice(node, 'sensor-1');
  const clear = await furnish(node);
  await page.getByText('You are a viewer').waitFor();
  for (const hash of await viewLinks(page)) {
    await show(page, hash);
    await pressEverything(page);
  }
  const changes = page.requests.filter(({ method, url }) => method !== 'GET' && !url.endsWith('/login'));
  assert.deepEqual(changes, []);
  assert.ok(device.connected);
  await clear();
  await device.endAsync();
  await closed(page);
}

// Presses the buttons of a view that a viewer may press: none of them offers a change. The others say why they do not.
export async function pressEverything(page) {
  for (const button of await page.locator('main button[aria-disabled="true"]').all()) {
    assert.match(await button.getAttribute('title'), /Requires the role|Affects all tenants/);
  }
  const enabled = page.locator('main button:not([aria-disabled="true"], :disabled)');
  for (let i = 0; i < Math.min(await enabled.count(), 40); i++) {
    await enabled.nth(i).click({ timeout: 2_000, force: true }).catch(() => {}); // it may have disappeared
    if (await page.getByRole('dialog').count() > 0) {
      throw new Error(`a dialog opens for a viewer at ${page.url()}: ${await page.getByRole('dialog').innerText()}`);
    }
  }
}

async function nodeRestarts({ browser, node }) {
  const page = await adminPage({ browser, node }, {}, '#/clients?like_clientid=restart');
  const device = await connectDevice(node, 'before-restart');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('link', { name: 'before-restart' }).waitFor();
  device.end(true);
  await node.stop();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('the page resumes automatically').waitFor();
  await page.getByRole('link', { name: 'before-restart' }).waitFor(); // what was known is still shown
  await node.start();
  const after = await connectDevice(node, 'after-restart');
  await page.getByRole('link', { name: 'after-restart' }).waitFor({ timeout: 30_000 });
  assert.equal(await page.getByText('the page resumes automatically').count(), 0);
  await after.endAsync();
  await closed(page);
}

// What the page knows may be wrong by now if the node does not respond, or cannot answer: then nothing looks healthy.
async function outdatedValuesDoNotLookCurrent({ browser, node }) {
  const page = await adminPage({ browser, node });
  const health = page.getByRole('region', { name: 'Health' });
  const isHealthy = async () => {
    await health.getByText('1 of 1 nodes running', { exact: true }).waitFor({ timeout: 30_000 });
    await page.locator('header').getByText('No alarms').waitFor({ timeout: 30_000 });
    await page.waitForFunction(() => !document.querySelector('main.outdated'));
  };
  const lost = /The node does not respond; .* What you see is at least \d/;
  const faults = [
    [lost, (route) => route.abort()],
    [lost, () => {}], // a request without a response
    [/Some values are outdated: a node did not respond in time\. .* Some of what you see is .* old\./, (route) => route.fulfill({
      status: 504, contentType: 'application/json', body: JSON.stringify({ code: 'TIMEOUT', message: 'a node did not respond in time' }) })],
  ];
  await isHealthy();
  for (const [banner, fault] of faults) {
    await page.route('**/api/v5/**', fault);
    await page.getByText(banner).waitFor({ timeout: 30_000 });
    await page.locator('header').getByText('Alarms unknown').waitFor();
    await health.getByText('state unknown').waitFor();
    await health.getByText('Last known: 1 of 1 nodes running, no alarms').waitFor();
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('main > .tiles')).filter), 'grayscale(1)');
    assert.deepEqual(await violations(page), []);
    await page.unroute('**/api/v5/**');
    await isHealthy();
  }
  await show(page, '#/alarms');
  await page.getByText('Nothing is wrong.').waitFor();
  await page.route('**/api/v5/**', (route) => route.abort());
  await page.getByText('Not available.').waitFor();
  assert.equal(await page.getByText('Nothing is wrong.').count(), 0);
  await show(page, '#/clients?like_clientid=nobody');
  await page.getByText('Not available.').waitFor(); // rather than clients that match other filters
  await closed(page);
}

async function loginIsGoodAtEveryNode({ browser, node, other }) {
  const page = await newPage(browser, { origin: other.url });
  await useLogin(page, node, 'ada');
  await page.goto(`${other.url}/#/nodes`);
  await page.getByRole('heading', { name: 'Nodes and ranges', level: 1 }).waitFor();
  await settled(page);
  await closed(page);
}

async function everyViewIsAccessible({ browser, node }) {
  const device = await connectDevice(node, 'sensor-1');
  const clear = await furnish(node);
  const found = [];
  for (const [viewport, colorScheme] of [[DESKTOP, 'light'], [DESKTOP, 'dark'], [PHONE, 'light'], [PHONE, 'dark']]) {
    const page = await adminPage({ browser, node }, { viewport, colorScheme });
    for (const hash of await viewLinks(page)) {
      await show(page, hash);
      found.push(...(await violations(page)).map((text) => `${hash} ${viewport.width} ${colorScheme}: ${text}`));
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (overflow > 0) {
        found.push(`${hash} ${viewport.width}: wider than the screen by ${overflow} pixels`);
      }
    }
    await closed(page);
  }
  await clear();
  await device.endAsync();
  assert.deepEqual(found, []);
}

async function keyboardIsEnough({ browser, node }) {
  const device = await connectDevice(node, 'sensor-3');
  const page = await newPage(browser, { origin: node.url });
  await page.goto(node.url);
  await page.getByLabel('User name').waitFor(); // it has the focus
  await page.keyboard.type('ada');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await tabTo(page, 'Skip to content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await tabTo(page, 'Clients');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1' && document.activeElement.textContent === 'Clients');
  assert.match(await page.title(), /^Clients/);
  await tabTo(page, 'Client identifier contains');
  await page.keyboard.type('sensor-3');
  await page.getByText(/\b1 in total/).waitFor(); // not "201 in total"
  await tabTo(page, 'sensor-3');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /sensor-3/, level: 1 }).waitFor();
  await tabTo(page, 'Kick');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, 'Kick');
  await page.keyboard.press('Enter');
  await page.getByText('No node currently knows this client').waitFor();
  device.end(true);
  await closed(page);
}

// Presses the Tab key until an element with this text or label has the focus.
async function tabTo(page, name) {
  const seen = [];
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    seen.push(await page.evaluate(() => {
      const { textContent, labels } = document.activeElement;
      return (labels?.[0]?.textContent ?? textContent).trim().slice(0, 60);
    }));
    if (seen.at(-1) === name) {
      return;
    }
  }
  throw new Error(`the Tab key does not lead to ${name}, but to ${seen.join(', ')}`);
}

// Waits until Preact has rendered what an event has changed, and has run its effects.
const rendered = (page) => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));
}));

// Opens every dialog with the keyboard: it must be accessible, keep the focus inside, and return it when Escape closes it.
async function everyDialogIsAccessible({ browser, node }) {
  const device = await connectDevice(node, 'sensor-1');
  await device.subscribeAsync('site/1/#', { qos: 1 });
  const clear = await furnish(node);
  const found = [];
  const opened = [];
  for (const colorScheme of ['light', 'dark']) {
    const page = await adminPage({ browser, node }, { colorScheme, viewport: colorScheme === 'light' ? DESKTOP : PHONE });
    for (const hash of await viewLinks(page)) {
      await show(page, hash);
      if (hash === '#/nodes') {
        await page.getByRole('region', { name: 'Store inbox', exact: true }).locator('.segment').first().click();
      }
      const texts = new Set(await page.locator('main .buttons button, main .toolbar button, main .section-head button, main td button').allInnerTexts());
      for (const text of texts) {
        const button = page.locator('main button', { hasText: new RegExp(`^\\s*${text.replace(/[^\w ]/g, '.')}\\s*$`) }).first();
        await button.focus({ timeout: 2_000 }).catch(() => {}); // an earlier one may have hidden it
        if (await page.evaluate(() => document.activeElement.textContent.trim()) !== text.trim()) {
          continue;
        }
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        await rendered(page);
        if (await dialog.count() > 0) {
          opened.push(`${hash} ${text}`);
          found.push(...(await violations(page)).map((problem) => `${hash} ${text}, ${colorScheme}: ${problem}`));
          assert.ok(await page.evaluate(() => document.activeElement.closest('dialog') !== null), `${hash} ${text}: the focus is in the dialog`);
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'hidden' });
          assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), text.trim(), `${hash}: the focus returns`);
        }
      }
    }
    await closed(page);
  }
  await clear();
  await device.endAsync(true);
  console.log(`   ${new Set(opened).size} dialogs`);
  assert.ok(opened.length >= 2 * 14, `dialogs: ${opened}`);
  assert.deepEqual(found, []);
}

// A link to each view, with example parameters.
export async function viewLinks(page) {
  const paths = await page.evaluate(async () => {
    const { modules } = await import(document.querySelector('script[src$="/page.js"]').src);
    return modules['views/index.js'].VIEWS.map(({ path }) => path);
  });
  return paths.map((path) => `#${path.split('/').map((part) => {
    if (part.startsWith(':') && !EXAMPLES[part]) {
      throw new Error(`add an example for ${part} of ${path} to checks.js`);
    }
    return EXAMPLES[part] ?? part;
  }).join('/')}`);
}

const EVERYWHERE = {
  keyboardIsEnough,
  clientIsFoundAndKicked,
  browserPublishesAndReceives,
  rangeIsSplit,
  nodeRestarts,
};

export const CHECKS = {
  1: {
    loginIsNeeded, // first, because it ends all logins of the user
    pageIsSmall,
    modulesAreRight,
    payloadsAreShownOnlyWhenAsked,
    viewerChangesNothing,
    outdatedValuesDoNotLookCurrent,
    ...TENANT_CHECKS,
    ...LARGE_CHECKS,
    everyViewIsAccessible,
    ...EVERYWHERE,
    ...VIEW_CHECKS,
  },
  3: { loginIsNeeded, loginIsGoodAtEveryNode, everyDialogIsAccessible, ...TENANT_CHECKS, ...EVERYWHERE, ...VIEW_CHECKS },
};

// Checks that run only when they are named, because they take minutes, or take long and have been done on one node.
export const ON_DEMAND = {
  1: CONNECTED_CHECKS,
  3: { ...CONNECTED_CHECKS, viewerChangesNothing, everyViewIsAccessible },
};
