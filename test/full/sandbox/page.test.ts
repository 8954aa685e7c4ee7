import { type Browser, type Page } from 'playwright-core';
import { type Sandbox, SANDBOX_KEY, startSandbox } from '../../../sandbox/src/server';
import { launchBrowser } from '../../support/servers/browser';

const MARKUP = `<script>window.ran = 1</script>"><img src=x onerror="window.ran = 2">`;

describe("the sandbox's page in a browser", () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let page: Page;
  /** Everything that the browser complained about: errors, refusals by the policy, answers that were none. */
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    // A first run may have to install it.
  }, 600_000);

  beforeEach(async () => {
    sandbox = await startSandbox();
    page = await browser.newPage();
    complaints.length = 0;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(sandbox.url);
  });

  afterEach(async () => {
    await page.close();
    await sandbox.stop();
  });

  afterAll(() => browser.close());

  async function ask(method: string, path: string, body?: unknown, requestId?: string): Promise<unknown> {
    const response = await fetch(sandbox.url + path, {
      method,
      body: JSON.stringify(body),
      headers: {
        authorization: `Api-Key ${SANDBOX_KEY}`,
        'content-type': 'application/json',
        ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
      },
    });
    expect(response.ok).toBe(true);
    return response.json();
  }

  async function submit(requestId: string): Promise<string> {
    const request = { image_url: `${sandbox.url}/samples/shoe.png` };
    const accepted = await ask('POST', '/api/v1/tools/remove-background', request, requestId);
    return (accepted as { task_id: string }).task_id;
  }

  /** Waits until the text is there, without a reload. */
  const shows = (place: string, text: string): Promise<void> =>
    page.locator(place).filter({ hasText: text }).first().waitFor();

  test('shows a task from its submission to its picture, without a reload', async () => {
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    const id = await submit('shoe.submit.1');
    const task = `#task-${id}`;
    await shows(task, 'PENDING');
    await shows(task, 'shoe.submit.1');
    await shows(task, 'Sandbox (1)');
    expect(await page.locator(`${task} .result`).count()).toBe(0);

    await ask('GET', `/api/v1/tasks/${id}`);
    await ask('GET', `/api/v1/tasks/${id}`);
    await shows(task, 'SUCCESS');
    for (const picture of await page.locator(`${task} img`).all()) {
      await picture.scrollIntoViewIfNeeded();
      await page.waitForFunction(
        (image) => (image as { naturalWidth: number }).naturalWidth > 0,
        await picture.elementHandle(),
      );
    }
    expect(await page.locator(`${task} img`).count()).toBe(2);
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('shows data, and keeps open what was opened while things change around it', async () => {
    const project = page.locator('#projects article').filter({ hasText: 'Spring launch' });
    await project.locator('summary').click();
    await submit('first');
    await shows('#tasks', 'first');
    expect(await project.locator('pre').isVisible()).toBe(true);
    expect(await project.locator('pre').textContent()).toContain('"audience": "runners"');

    await ask('PATCH', '/api/v1/projects/campaign/c1a4d5e0-1111-4222-8333-444455556666', {
      data: { owner: 'Olga' },
    });
    await shows('#projects pre', '"owner": "Olga"');
    expect(await project.locator('pre').isVisible()).toBe(true);
    // The update dropped the brief, and the page says so.
    await shows('#figure-lostKeys.alarm', '1');
    expect(complaints).toEqual([]);
  });

  test('shows markup in a notification as text, and runs none of it', async () => {
    await ask('POST', '/api/v1/service/agent/notify', {
      userId: 'u',
      workspaceId: '1',
      title: MARKUP,
      message: `Summary ${MARKUP}`,
      body: `Dear Sam, ${MARKUP}`,
      category: 'agentError',
      link: 'javascript:window.ran=3',
      ctaLabel: MARKUP,
    });
    await shows('#notifications h3', MARKUP);
    const sent = page.locator('#notifications article');
    expect(await sent.textContent()).toContain(`Summary ${MARKUP}`);
    expect(await sent.textContent()).toContain('javascript:window.ran=3');
    expect(await sent.textContent()).toContain('team-chat #agent-alerts');
    expect(await sent.textContent()).toContain('the title is repeated in the text');
    expect(await sent.locator('script, img, a').count()).toBe(0);
    // Also when the page comes with it from the start.
    await page.reload();
    await shows('#notifications h3', MARKUP);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('shows which faults are active, and duplicates as an alarm', async () => {
    await shows('#faults', 'No fault is active');
    await ask('POST', '/_sandbox/faults', {
      operation: 'notify',
      match: { nth: 2 },
      fault: 'reset',
      when: 'after',
    });
    await shows('#faults article', 'reset after notify');
    await submit('one.submit.1');
    await shows('#figure-submissions', '1');
    expect(await page.locator('.alarm').count()).toBe(0);
    await submit('one.submit.2');
    await shows('#figure-duplicates.alarm', 'a job was submitted again');
    expect(complaints).toEqual([]);
  });

  test('can be paused from the keyboard, and goes on', async () => {
    const isOnPause = (): Promise<boolean> => page.evaluate(`document.activeElement.id === 'pause'`);
    for (let tabs = 0; tabs < 10 && !(await isOnPause()); tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await shows('#state', 'Paused.');
    await submit('while-paused');
    await page.keyboard.press('Space');
    await shows('#tasks', 'while-paused');
    expect(await page.locator('#state').textContent()).toBe('');
    expect(complaints).toEqual([]);
  });

  test('says when the sandbox is gone', async () => {
    await sandbox.stop();
    await shows('#state', 'The sandbox does not answer.');
  });

  test('is whole without its script, and counts more than it shows', async () => {
    for (let job = 0; job < 101; job++) await submit(`job-${job}`);
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const still = await plain.newPage();
    await still.goto(sandbox.url);
    expect(await still.locator('#tasks h2').textContent()).toContain('the 100 newest of 101');
    expect(await still.locator('#tasks article').count()).toBe(100);
    expect(await still.locator('#tasks article').first().textContent()).toContain('job-100');
    expect(await still.locator('#pause').isVisible()).toBe(false);
    await plain.close();
  });
});
