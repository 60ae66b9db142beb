// The page with 15,000 clients that are really connected: to one node, then a third to each of three. It takes minutes and
// much memory, so it only runs when it is named: bin/web-test.sh viewsWith15000Clients
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { DESKTOP, PHONE, newPage, settled, show, useLogin } from './browser.js';
import { closed, viewLinks } from './checks.js';
import { connectDevice } from './devices.js';
import { MAX_BYTES, MAX_ELEMENTS } from './large-checks.js';
import { furnish } from './samples.js';

const CLIENTS = 15_000;
const CONNECTING = 60; // at a time
const RETAINED_EVERY = 10;
const PUBLISHERS = 100; // each once a second
const VARIANTS = [[DESKTOP, 'light'], [DESKTOP, 'dark'], [PHONE, 'light'], [PHONE, 'dark']];

async function viewsWith15000Clients({ browser, node, nodes }) {
  const clients = await connectAll(nodes);
  clients.push(await connectDevice(nodes.at(-1), 'sensor-1')); // which the links of checks.js lead to
  const clear = await furnish(node);
  const timer = setInterval(() => clients.slice(0, PUBLISHERS).forEach((client, i) => client.publish(topic(i), '21.5', { qos: 1 })), 1_000);
  try {
    const times = new Map();
    const found = [];
    for (const [viewport, colorScheme] of VARIANTS) {
      const page = await openPage(browser, node, { viewport, colorScheme });
      for (const hash of await viewLinks(page)) {
        const { ms, bytes, elements, overflow } = await measure(page, hash);
        times.set(hash, [...times.get(hash) ?? [], ms]);
        found.push(...problems({ hash, viewport, bytes, elements, overflow }));
      }
      await closed(page);
    }
    console.log(`   ms until data are shown, with ${CLIENTS} clients and a load average of ${loadavg()[0].toFixed(1)}, in ${
      VARIANTS.map(([{ width }, colors]) => `${width} ${colors}`).join(', ')}:`);
    times.forEach((ms, hash) => console.log(`   ${hash}: ${ms.join(', ')}`));
    assert.deepEqual(found, []);
    await pagesAreTurned(browser, node);
    await clientOfAnotherNodeIsKicked(browser, nodes, clients);
  } finally {
    clearInterval(timer);
    await clear();
    clients.forEach((client) => client.end(true));
  }
}

const clientId = (i) => `device-${String(i).padStart(5, '0')}`;
const topic = (i) => `plant/${Math.floor(i / 100)}/device/${i}`;

// Client i is connected to node i modulo the number of nodes.
async function connectAll(nodes) {
  const begin = Date.now();
  const clients = [];
  let next = 0;
  const connectSome = async () => {
    while (next < CLIENTS) {
      const i = next++;
      const client = await connectDevice(nodes[i % nodes.length], clientId(i), { keepalive: 600 });
      client.on('error', () => {}); // a client that is kicked
      await client.subscribeAsync(`${topic(i)}/command`, { qos: 1 });
      if (i % RETAINED_EVERY === 0) {
        await client.publishAsync(topic(i), '21.5', { qos: 1, retain: true });
      }
      clients[i] = client;
    }
  };
  await Promise.all(Array.from({ length: CONNECTING }, connectSome));
  console.log(`   ${CLIENTS} clients connected and subscribed in ${Math.round((Date.now() - begin) / 1000)} s`);
  return clients;
}

async function openPage(browser, node, options = {}) {
  const page = await newPage(browser, { origin: node.url, ...options });
  page.setDefaultTimeout(60_000);
  await useLogin(page, node, 'ada');
  await page.goto(node.url);
  await settled(page);
  return page;
}

// Shows a view for the first time. The time is taken in the page, from the change of its address until the view has
// replaced the one before and nothing is loading.
async function measure(page, hash) {
  await show(page, '#/none');
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  const sizes = [];
  const count = (response) => sizes.push(response.body().then((body) => body.length, () => 0));
  page.on('response', count);
  const ms = await page.evaluate(async (target) => {
    const isShown = () => !['Not found', undefined].includes(document.querySelector('main h1')?.textContent)
      && ![...document.querySelectorAll('.empty')].some((element) => element.textContent.startsWith('Loading'));
    const begin = performance.now();
    location.hash = target;
    while (!isShown()) {
      await new Promise((resolve) => { setTimeout(resolve, 5); });
    }
    return Math.round(performance.now() - begin);
  }, hash);
  page.off('response', count);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  const { elements, overflow } = await page.evaluate(() => ({
    elements: document.querySelectorAll('*').length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }));
  return { ms, bytes, elements, overflow };
}

function problems({ hash, viewport: { width }, bytes, elements, overflow }) {
  return [
    ...(elements > MAX_ELEMENTS ? [`${hash} draws ${elements} elements`] : []),
    ...(bytes > MAX_BYTES ? [`${hash} loads ${bytes} bytes`] : []),
    ...(overflow > 0 ? [`${hash} is wider than ${width} pixels by ${overflow}`] : []),
  ];
}

async function pagesAreTurned(browser, node) {
  const page = await openPage(browser, node);
  await show(page, '#/clients');
  await page.getByText(/^15,\d{3} in total/).waitFor();
  const rows = page.getByRole('table').getByRole('rowheader');
  const first = await rows.first().innerText();
  assert.ok(await rows.count() <= 50);
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('Page 2').waitFor();
  await page.waitForFunction((text) => document.querySelector('tbody th').innerText !== text, first);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByRole('link', { name: first, exact: true }).waitFor();
  await closed(page);
}

// Every action on a client of the last node, at the page of the first.
async function clientOfAnotherNodeIsKicked(browser, nodes, clients) {
  const i = CLIENTS - 1;
  const [page, last] = [await openPage(browser, nodes[0]), nodes[i % nodes.length]];
  await show(page, '#/clients');
  const begin = Date.now();
  await page.getByLabel('Client identifier contains').fill(clientId(i).slice(3)); // no index knows parts of identifiers
  await page.getByRole('link', { name: clientId(i) }).click();
  await page.getByRole('heading', { name: clientId(i), level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Subscriptions', exact: true }).getByText(`${topic(i)}/command`).waitFor();
  console.log(`   a client is found by a part of its identifier and shown after ${Date.now() - begin} ms, of which 350 ms are for typing`);
  const why = page.getByRole('region', { name: 'Why: recent events' });
  await why.getByText(`on ${last.name}`).first().waitFor();
  const kicked = once(clients[i], 'disconnect');
  await page.getByRole('button', { name: 'Kick' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Kick' }).click();
  await page.getByText('No node currently knows this client').waitFor();
  await why.getByText(/administrative action/i).first().waitFor();
  const [packet] = await kicked;
  assert.equal(packet.reasonCode, 0x98);
  await show(page, `#/clients?like_clientid=${clientId(i)}`);
  await page.getByText('No client matches.').waitFor();
  await closed(page);
}

export const CONNECTED_CHECKS = { viewsWith15000Clients };
