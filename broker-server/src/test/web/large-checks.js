// The page with 100,000 clients. What a view loads and draws must not depend on the number of clients.
import assert from 'node:assert/strict';
import { DESKTOP, PHONE, newPage, settled, show, useLogin } from './browser.js';
import { closed, viewLinks } from './checks.js';
import { startLargeCluster } from './large-cluster.js';

export const MAX_ELEMENTS = 12_000;
export const MAX_BYTES = 2_000_000; // of the responses for a view, not compressed

async function viewsStaySmallWith100000Clients({ browser, node }) {
  const cluster = await startLargeCluster(node);
  try {
    for (const viewport of [DESKTOP, PHONE]) {
      const page = await largePage(browser, cluster, viewport);
      for (const hash of await viewLinks(page)) {
        const { ms, bytes, elements } = await measure(page, hash);
        console.log(`   ${viewport.width} ${hash}: ${ms} ms, ${Math.round(bytes / 1000)} kB, ${elements} elements`);
        assert.ok(elements <= MAX_ELEMENTS, `${hash} draws ${elements} elements`);
        assert.ok(bytes <= MAX_BYTES, `${hash} loads ${bytes} bytes`);
      }
      await closed(page);
    }
  } finally {
    await cluster.close();
  }
}

async function oneOf100000ClientsIsFound({ browser, node }) {
  const cluster = await startLargeCluster(node);
  try {
    const page = await largePage(browser, cluster, DESKTOP);
    await show(page, '#/clients');
    await page.getByText('100,000 in total').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'meter-000050' }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'meter-000100' }).waitFor();
    await page.getByRole('button', { name: 'Previous page' }).click();
    await page.getByRole('link', { name: 'meter-000050' }).waitFor();
    await page.getByLabel('Client identifier contains').fill('099999');
    await page.getByRole('link', { name: 'meter-099999' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'meter-000050' }).count(), 0);

    await show(page, '#/topics');
    const tree = page.getByRole('region', { name: 'Topic tree' });
    await tree.getByRole('button', { name: 'Open site', exact: true }).click();
    await tree.getByRole('button', { name: 'More below site/' }).click();
    await tree.getByRole('button', { name: 'Open site/99', exact: true }).waitFor();
    await closed(page);
  } finally {
    await cluster.close();
  }
}

async function largePage(browser, cluster, viewport) {
  const page = await newPage(browser, { origin: cluster.url, viewport });
  await useLogin(page, cluster, 'ada');
  await page.goto(cluster.url);
  await settled(page);
  return page;
}

// Shows a view for the first time: how long until it has its data, the size of the data, and how much is drawn.
async function measure(page, hash) {
  const sizes = [];
  const count = (response) => sizes.push(response.body().then((body) => body.length, () => 0));
  page.on('response', count);
  await page.evaluate(() => { location.hash = '#/none'; });
  const begin = Date.now();
  await show(page, hash);
  const ms = Date.now() - begin;
  page.off('response', count);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return { ms, bytes, elements: await page.evaluate(() => document.querySelectorAll('*').length) };
}

export const LARGE_CHECKS = { viewsStaySmallWith100000Clients, oneOf100000ClientsIsFound };
