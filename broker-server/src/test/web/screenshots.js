// Pictures of every view, for docs/images.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DESKTOP, PHONE, newPage, settled, show, useLogin } from './browser.js';
import { viewLinks } from './checks.js';
import { SENSOR, connectDevice, ofTenant } from './devices.js';
import { furnish } from './samples.js';

const LOAD_SECONDS = 70; // so that plots have a few points
const SENSORS = 12;
const SLOW_MS = 1_500;

// Every view on a desktop with light colors; some also with other colors and on a phone. With ALL_VARIANTS, all of them.
const VARIANTS = [
  ['', DESKTOP, 'light', /./],
  ['-dark', DESKTOP, 'dark', /^(overview|nodes)$/],
  ['-phone', PHONE, 'light', /^(overview|clients-logger)$/],
  ['-phone-dark', PHONE, 'dark', /^$/],
];

const VIEWS = new RegExp(`^(${process.env.VIEWS ?? '.*'})$`);

// What to do in a view before its picture is taken.
const PREPARE = {
  clients: async (page) => {
    await page.getByLabel('State', { exact: true }).selectOption('connected');
    await page.getByText('offline', { exact: true }).first().waitFor({ state: 'detached' });
  },
  messages: async (page) => {
    await page.locator('input[name=filter]').fill('site/#');
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await page.getByRole('rowheader').first().waitFor();
  },
  nodes: (page) => page.getByRole('region', { name: 'Store inbox', exact: true }).locator('.segment').first().click(),
  topics: async (page) => {
    await page.getByRole('button', { name: 'Open site', exact: true }).click();
    await page.getByRole('button', { name: 'Open site/1', exact: true }).click();
    await page.getByRole('button', { name: 'command', exact: true }).first().click();
    await page.getByText('Persistent sessions').waitFor();
  },
  'clients-logger': async (page) => {
    await page.getByRole('button', { name: 'List messages' }).click();
    await page.getByRole('table', { name: 'Messages' }).waitFor();
  },
};

export async function takeScreenshots({ browser, node, other }, folder) {
  mkdirSync(folder, { recursive: true });
  const stop = await load(node, other);
  const clear = await furnish(node);
  await new Promise((resolve) => { setTimeout(resolve, Number(process.env.LOAD_SECONDS ?? LOAD_SECONDS) * 1000); });
  try {
    for (const [suffix, viewport, colorScheme, names] of VARIANTS) {
      const wanted = (name) => VIEWS.test(name) && (Boolean(process.env.ALL_VARIANTS) || names.test(name));
      const page = await newPage(browser, { viewport, colorScheme, origin: node.url });
      await page.goto(node.url);
      await page.getByLabel('User name').waitFor();
      if (wanted('login')) {
        await page.screenshot({ path: join(folder, `login${suffix}.png`) });
      }
      await useLogin(page, node, 'ada');
      await page.reload();
      await settled(page);
      for (const hash of [...await viewLinks(page), '#/clients/logger']) {
        const name = hash.replace(/^#\/?/, '').replace(/[^a-z0-9-]+/gi, '-') || 'overview';
        if (wanted(name)) {
          await show(page, hash);
          await PREPARE[name]?.(page);
          await page.waitForTimeout(300); // plots are drawn after the data
          await takePicture(page, join(folder, `${name}${suffix}.png`));
          if (name === 'overview') {
            await page.locator('.charts').screenshot({ path: join(folder, `plots${suffix}.png`) });
          }
        }
      }
      await page.context().close();
    }
  } finally {
    await clear();
    await stop();
  }
}

// From the top of the view, with no row or button under the pointer.
export async function takePicture(page, file) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: file, fullPage: Boolean(process.env.FULL_PAGE) });
}

// Fewer colors, a third of the size: with pngquant, if this host has it.
export async function shrink(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.png')).map((name) => join(folder, name));
  await promisify(execFile)('pngquant', ['--force', '--ext', '.png', '--skip-if-larger', '--strip', '64', ...files]).catch((e) => {
    console.log(`pictures are larger than necessary: ${e.message}`);
  });
}

// Devices that publish, a subscriber that is too slow, one that is offline, and one that is banned.
async function load(node, other) {
  const devices = await Promise.all(Array.from({ length: SENSORS }, (_, i) => connectDevice(i % 2 ? node : other, `sensor-${i + 1}`, SENSOR)));
  const pump = await connectDevice(other, 'pump-1', ofTenant('acme'));
  await pump.subscribeAsync('pumps/1/command', { qos: 1 });
  const properties = { sessionExpiryInterval: 3_600 };
  const dashboard = await connectDevice(node, 'dashboard', { ...SENSOR, clean: false, properties });
  await dashboard.subscribeAsync('site/#', { qos: 1 });
  const logger = await connectDevice(node, 'logger', { ...SENSOR, clean: false, properties: { ...properties, receiveMaximum: 20 } });
  logger.handleMessage = (packet, done) => { setTimeout(done, SLOW_MS); };
  await logger.subscribeAsync('site/+/temperature', { qos: 1 });
  const archive = await connectDevice(other, 'archive', { ...SENSOR, clean: false, properties });
  await archive.subscribeAsync('$share/archive/site/#', { qos: 1 });
  await archive.endAsync();
  await Promise.all(devices.map((device, i) => device.subscribeAsync(`site/${i + 1}/command`, { qos: 1 })));
  await node.api('POST', '/banned', { as: 'clientid', who: 'sensor-99', reason: 'floods its topics' });
  await connectDevice(other, 'sensor-99', SENSOR).catch(() => {}); // is refused
  const timer = setInterval(() => devices.forEach((device, i) => device.publish(`site/${i + 1}/temperature`, `${20 + i / 10}`, { qos: 1, retain: true })), 200);
  return async () => {
    clearInterval(timer);
    await node.api('DELETE', '/banned/clientid/sensor-99');
    await Promise.all([...devices, dashboard, logger, pump].map((device) => device.endAsync(true)));
  };
}
