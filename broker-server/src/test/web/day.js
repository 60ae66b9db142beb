// What docs/OPERATIONS.md walks through, done with three nodes and shown in pictures: a rolling restart, a slow subscriber,
// a full disk, and a lost node.
import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DESKTOP, newPage, settled, show, useLogin } from './browser.js';
import { SENSOR, connectDevice } from './devices.js';
import { startCluster } from './nodes.js';
import { takePicture } from './screenshots.js';

const SENSORS = 12;
const PUBLISH_MS = 200;
const SLOW_MS = 1_500;
const SMALL_DISK = '1g';
const LEFT_BYTES = 150 << 20; // less than diskConfig.minFreeBytes
const PATIENCE = { timeout: 120_000 };

// addUsers: creates the accounts of the tests on a node
export async function takePicturesOfADay(browser, folder, addUsers) {
  const nodes = await startCluster('node', 3, giveTheLastASmallDisk);
  try {
    const [node, , third] = nodes;
    await addUsers(node);
    const stop = await load(nodes);
    const page = await open(browser, node);
    const picture = (name) => takePicture(page, join(folder, `day-${name}.png`));
    await restart(page, await leadingNode(nodes), picture);
    await slowSubscriber(page, node, picture);
    if (third.smallDisk) {
      await fullDisk(page, third, picture);
    }
    await lostNode(page, browser, await leadingNode(nodes), picture, folder);
    await stop();
    await page.context().close();
  } finally {
    await Promise.all(nodes.map((one) => one.stop()));
  }
}

// A file system in memory, in the mount namespace of this process (bin/web-test.sh).
function giveTheLastASmallDisk(node, i) {
  if (i === 2 && process.env.OWN_MOUNTS) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', node.folder]);
    node.smallDisk = true;
  }
}

async function open(browser, node) {
  const page = await newPage(browser, { viewport: DESKTOP, origin: node.url });
  await useLogin(page, node, 'ada');
  await page.goto(node.url);
  await settled(page);
  return page;
}

const nodeCard = (page, node) => page.getByRole('region', { name: `Node ${node.name}` });
// What the page says about alarms above every view.
const alarmsAre = (page, text) => page.locator('header').getByText(text).waitFor(PATIENCE);
const SOME_ALARMS = /^[1-9]\d* alarms?$/;
const isUp = (page, node) => nodeCard(page, node).getByText('up', { exact: true }).waitFor(PATIENCE);

// A node other than the first that leads ranges, so that there is something to move. Placement sees to it.
async function leadingNode([first, ...others]) {
  for (let i = 0; i < 60; i++) {
    const leading = (await first.api('GET', '/nodes')).filter(({ leads }) => leads > 0).map(({ name }) => name);
    const found = others.find((node) => leading.includes(node.name));
    if (found) {
      return found;
    }
    await new Promise((resolve) => { setTimeout(resolve, 1_000); });
  }
  throw new Error('only the first node leads ranges');
}

async function restart(page, node, picture) {
  await show(page, '#/nodes');
  const restarting = node.script('restart', '--drain');
  await nodeCard(page, node).getByText('down', { exact: true }).waitFor(PATIENCE);
  await page.getByRole('region', { name: 'Changes' }).getByText(/led by/).first().waitFor(PATIENCE);
  await picture('restart');
  await restarting;
  await isUp(page, node);
}

async function slowSubscriber(page, node, picture) {
  await node.api('PUT', '/configs', { values: { 'sessionConfig.maxQueuedMessages': '200' } });
  const logger = await connectDevice(node, 'logger', { ...SENSOR, properties: { receiveMaximum: 20 } });
  logger.handleMessage = (packet, done) => { setTimeout(done, SLOW_MS); };
  await logger.subscribeAsync('site/#', { qos: 1 });
  await show(page, '#/');
  await page.getByText('Messages are being dropped').waitFor(PATIENCE);
  await page.locator('.legend .key', { hasText: /dropped [1-9]/ }).waitFor(PATIENCE); // samples are a little later
  await picture('drops');
  await show(page, '#/slow-subscriptions');
  await page.getByRole('link', { name: 'logger' }).first().waitFor(PATIENCE);
  await picture('slow-subscriptions');
  await show(page, '#/clients/logger');
  await page.getByText('Held back now').waitFor(PATIENCE);
  await page.getByRole('region', { name: 'Why: recent events' }).getByText(/queue/).first().waitFor(PATIENCE);
  await picture('slow-subscriber');
  await logger.endAsync(true);
  await node.api('DELETE', '/configs/sessionConfig.maxQueuedMessages');
}

async function fullDisk(page, node, picture) {
  const { bavail, bsize } = statfsSync(node.folder);
  const ballast = join(node.folder, 'something-else');
  execFileSync('fallocate', ['-l', String(bavail * bsize - LEFT_BYTES), ballast]);
  await show(page, '#/alarms');
  await page.getByRole('rowheader', { name: 'disk low' }).waitFor(PATIENCE);
  await alarmsAre(page, SOME_ALARMS);
  await picture('full-disk-alarm');
  await show(page, '#/nodes');
  await nodeCard(page, node).getByText('full', { exact: true }).waitFor(PATIENCE);
  await picture('full-disk');
  rmSync(ballast);
  await isUp(page, node);
  await alarmsAre(page, 'No alarms'); // after alarmsConfig.deactivateAfter
}

async function lostNode(page, browser, node, picture, folder) {
  const ownPage = await open(browser, node); // somebody who has opened the page at this node
  await show(ownPage, '#/clients');
  await show(page, '#/nodes');
  node.kill();
  await nodeCard(page, node).getByText('down', { exact: true }).waitFor(PATIENCE);
  await ownPage.getByText(/the page resumes automatically once the node is back\. What you see is at least [1-9]\d s old/).waitFor(PATIENCE);
  await takePicture(ownPage, join(folder, 'day-lost-connection.png'));
  await page.getByRole('region', { name: 'Changes' }).getByText(/led by/).first().waitFor(PATIENCE);
  await alarmsAre(page, SOME_ALARMS);
  await picture('lost-node');
  await show(page, '#/alarms');
  await page.getByRole('rowheader', { name: 'node down' }).waitFor(PATIENCE);
  await page.getByRole('rowheader', { name: 'range under replicated' }).first().waitFor(PATIENCE);
  await picture('lost-node-alarms');
  await node.start();
  await ownPage.getByText('the page resumes automatically').waitFor({ ...PATIENCE, state: 'hidden' });
  await show(page, '#/nodes');
  await isUp(page, node);
  await ownPage.context().close();
}

// Sensors on all nodes, which connect to another node when theirs stops.
async function load(nodes) {
  const servers = nodes.map((node) => ({ host: '127.0.0.1', port: node.node.mqtt, protocol: 'mqtt' }));
  const devices = await Promise.all(Array.from({ length: SENSORS }, (_, i) => connectDevice(nodes[0], `sensor-${i + 1}`, {
    ...SENSOR, reconnectPeriod: 1_000, servers: [...servers.slice(i % servers.length), ...servers.slice(0, i % servers.length)],
  })));
  const archive = await connectDevice(nodes[0], 'archive', { ...SENSOR, clean: false, properties: { sessionExpiryInterval: 3_600 } });
  await archive.subscribeAsync('site/#', { qos: 1 });
  devices.forEach((device) => device.on('error', () => {})); // it connects again
  const timer = setInterval(() => devices.forEach((device, i) => {
    if (device.connected) {
      device.publish(`site/${i + 1}/temperature`, `${20 + i / 10}`, { qos: 1, retain: true });
    }
  }), PUBLISH_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all([...devices, archive].map((device) => device.endAsync(true)));
  };
}
