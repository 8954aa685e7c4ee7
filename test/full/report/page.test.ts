/** Pages of reports in a real browser: whole without a network, dark and light, and nothing in them runs. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page } from 'playwright-core';
import { page as htmlOf } from '../../../src/cli/report/page';
import { readReport, type RunReport } from '../../../src/cli/report/read';
import { newKey } from '../../support/builders/jobs';
import { hostileReport } from '../../support/builders/report';
import { shared } from '../../support/jest/shared';
import { launchBrowser } from '../../support/servers/browser';
import { useCommandLine } from '../../support/servers/commandLine';
import { segueClient } from '../../support/servers/temporal';

const { temporal, sandbox, config } = useCommandLine();
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  // A first run may have to install it.
}, 600_000);

afterAll(() => browser.close());

/** Opens it as a file, in a browser without a network. */
async function open(
  report: RunReport,
  colorScheme: 'dark' | 'light',
): Promise<{ page: Page; requests: string[]; complaints: string[] }> {
  const file = path.join(await mkdtemp(path.join(shared().scratch, 'report-')), 'report.html');
  await writeFile(file, htmlOf(report));
  const context = await browser.newContext({ colorScheme, offline: true });
  const page = await context.newPage();
  const [requests, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) requests.push(request.url());
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(pathToFileURL(file).href);
  return { page, requests, complaints };
}

test('a report of a job shows its pictures and its timeline offline, dark and light', async () => {
  const client = segueClient(temporal, config);
  const key = newKey();
  const request = { image_url: `${sandbox.url}/samples/shoe.png` };
  await client.media.run({ key, tool: 'remove-background', request });
  const report = await readReport(temporal.client, await client.media.get(key), {
    pictures: true,
    proxy: {},
  });
  const colours = new Set<unknown>();
  for (const scheme of ['light', 'dark'] as const) {
    const { page, requests, complaints } = await open(report, scheme);
    expect(await page.title()).toBe(`media/${key}: succeeded`);
    const pictures = await page.locator('#pictures img').all();
    expect(pictures).toHaveLength(2);
    for (const picture of pictures)
      await page.waitForFunction(
        (image) => (image as { naturalWidth: number }).naturalWidth > 0,
        await picture.elementHandle(),
      );
    const stages = await page.locator('.stage').all();
    expect(stages.length).toBeGreaterThanOrEqual(3);
    for (const stage of stages) expect((await stage.boundingBox())?.width).toBeGreaterThan(0);
    colours.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    // Nothing is wider than the window.
    await page.setViewportSize({ width: 400, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect({ requests, complaints }).toEqual({ requests: [], complaints: [] });
    await page.context().close();
  }
  expect(colours.size).toBe(2);
});

test('markup in every text is shown as text, and none of it runs', async () => {
  const report = hostileReport();
  const { page, requests } = await open(report, 'light');
  expect(await page.locator('h1').textContent()).toContain(report.workflowId);
  expect(await page.locator('script, img, iframe, a[href^="javascript"]').count()).toBe(0);
  expect(await page.evaluate("'ran' in globalThis")).toBe(false);
  expect(requests).toEqual([]);
  await page.context().close();
});
