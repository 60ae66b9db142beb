// The plots of a report of bin/perf.sh as pictures: node plots.js REPORT.html FOLDER TITLE...
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from './browser.js';

const [report, folder, ...titles] = process.argv.slice(2);
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 760, height: 900 } });
  await page.goto(pathToFileURL(resolve(report)).href);
  for (const title of titles) {
    const plot = page.locator('.plots figure', { hasText: title }).first();
    const name = title.toLowerCase().replace(/[^a-z]+/g, '-');
    await plot.screenshot({ path: join(folder, `plot-${name}.png`) });
  }
} finally {
  await browser.close();
}
