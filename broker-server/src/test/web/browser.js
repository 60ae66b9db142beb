// Chromium, and what all checks do with the page.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WCAG_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const DESKTOP = { width: 1400, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const READER = { locale: 'en-GB', timezoneId: 'Europe/Oslo' };
export const PASSWORD = 'correct horse battery';

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });

// Opens an empty page that fails the check on errors of scripts, violations of the Content-Security-Policy, and requests to
// other servers. page.problems lists them; page.requests lists the requests as {method, url}.
export async function newPage(browser, { viewport = DESKTOP, colorScheme = 'light', origin }) {
  const context = await browser.newContext({
    viewport, colorScheme, reducedMotion: 'reduce', ...READER, deviceScaleFactor: 1,
    bypassCSP: false,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.problems = [];
  page.requests = [];
  page.on('pageerror', (error) => page.problems.push(`script error: ${error.message}`));
  page.on('console', (message) => {
    // A response with an error status is no problem in itself: the page shows it.
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection to/.test(message.text())) {
      page.problems.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    page.requests.push({ method: request.method(), url: request.url() });
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) {
      page.problems.push(`external request: ${request.url()}`);
    }
  });
  await serveSources(page);
  return page;
}

// With WEB_SOURCES, the page's own files come from this folder instead of the jar, so that nothing has to be built. The
// exception is index.html.
async function serveSources(page) {
  const folder = process.env.WEB_SOURCES;
  if (!folder) {
    return;
  }
  await page.route('**/ui/*/**', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').slice(3).join('/');
    if (name === 'page.js') {
      return route.fulfill({ contentType: 'text/javascript', body: unjoined(folder) });
    }
    if (name === 'page.css') {
      const style = ['base', 'components', 'views'].map((file) => readFileSync(join(folder, `style/${file}.css`), 'utf8'));
      return route.fulfill({ contentType: 'text/css', body: `@import './vendor/uplot.css';\n${style.join('')}` });
    }
    const file = join(folder, name);
    return existsSync(file) ? route.fulfill({ path: file }) : route.continue();
  });
}

// A module that does what the broker's page.js does.
function unjoined(folder) {
  const modules = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js') && !name.startsWith('vendor'));
  return modules.map((name, i) => `import * as module${i} from './${name}';\n`).join('')
    + `export const modules = { ${modules.map((name, i) => `'${name}': module${i}`).join(', ')} };\n`;
}

// Lets a page begin with a login of the user, as after a reload.
export async function useLogin(page, node, username) {
  const { token, role, tenant = null, version, expires_at: expiresAt } = await node.logIn(username, PASSWORD);
  const stored = JSON.stringify({ token, username, role, tenant, version, expiresAt });
  await page.addInitScript((value) => {
    if (sessionStorage.getItem('fjordmq.tested') === null) { // only once, so that the page can log out
      sessionStorage.setItem('fjordmq.tested', 'yes');
      sessionStorage.setItem('fjordmq.session', value);
    }
  }, stored);
}

// Shows a view, without a reload, and waits until it has its data.
export async function show(page, hash) {
  await page.evaluate((target) => { location.hash = target; }, hash);
  await settled(page);
}

export async function settled(page) {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => ![...document.querySelectorAll('.empty')].some((element) => element.textContent.startsWith('Loading')));
}

// The violations of WCAG AA that axe-core finds, as texts.
export async function violations(page) {
  await page.evaluate(AXE); // not as a script element, which the Content-Security-Policy forbids
  const found = await page.evaluate((tags) => globalThis.axe.run(document, { runOnly: tags, resultTypes: ['violations'] }), WCAG_AA);
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} (${node.any[0]?.message ?? node.all[0]?.message ?? ''})`));
}
