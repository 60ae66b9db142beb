// Runs the checks: node run.js [NAME]... with the names of checks or numbers of nodes. Prints "ok: NAME" or "FAILED: NAME: why".
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD, launch } from './browser.js';
import { CHECKS, ON_DEMAND } from './checks.js';
import { takePicturesOfADay } from './day.js';
import { createSessions } from './devices.js';
import { startCluster } from './nodes.js';
import { shrink, takeScreenshots } from './screenshots.js';

const wanted = process.argv.slice(2);
const screenshots = process.env.SCREENSHOTS;
let failed = 0;

const isWanted = (count, name) => wanted.length === 0 || wanted.includes(name) || wanted.includes(String(count));

function wantedChecks(count) {
  const always = Object.entries(CHECKS[count]).filter(([name]) => isWanted(count, name));
  const named = Object.entries(ON_DEMAND[count]).filter(([name]) => wanted.includes(name));
  return screenshots ? [] : [...always, ...named];
}

async function users(node) {
  for (const [username, role] of [['ada', 'administrator'], ['victor', 'viewer']]) {
    await node.api('POST', '/users', { username, password: PASSWORD, role });
  }
}

async function runAll(browser, count, checks) {
  const nodes = await startCluster(screenshots ? 'node' : `web${count}`, count);
  const context = { browser, nodes, node: nodes[0], other: nodes.at(-1) };
  try {
    await users(context.node);
    await createSessions(context.node, 200);
    for (const [name, check] of checks) {
      const begin = Date.now();
      try {
        await check(context);
        console.log(`ok: ${name} on ${count} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
      } catch (e) {
        failed += 1;
        console.log(`FAILED: ${name} on ${count}: ${e.stack ?? e}`);
        await picture(browser, `${name}-${count}`);
      } finally {
        await Promise.all(browser.contexts().map((one) => one.close()));
      }
    }
    if (screenshots && count === 3) {
      await takeScreenshots(context, screenshots);
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

// What the page showed when a check failed.
async function picture(browser, name) {
  const page = browser.contexts().at(-1)?.pages().at(-1);
  mkdirSync(join(process.env.WORK, 'failed'), { recursive: true });
  await page?.screenshot({ path: join(process.env.WORK, 'failed', `${name}.png`), fullPage: true }).catch(() => {});
}

const browser = await launch();
try {
  for (const count of Object.keys(CHECKS).map(Number)) {
    const checks = wantedChecks(count);
    if (checks.length > 0 || (screenshots && count === 3)) {
      await runAll(browser, count, checks);
    }
  }
  if (screenshots) {
    if (!process.env.VIEWS) {
      await takePicturesOfADay(browser, screenshots, users);
    }
    await shrink(screenshots);
  }
} finally {
  await browser.close();
}
process.exit(failed === 0 ? 0 : 1);
