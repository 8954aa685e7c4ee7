/** A job started again from the Temporal UI, in a browser: it is not paid for twice. */
import { randomUUID } from 'node:crypto';
import { type Page } from 'playwright-core';
import { startDevServer } from '../../support/servers/devServer';
import { launchBrowser } from '../../support/servers/browser';
import { shared } from '../../support/jest/shared';
import { connectTo, segueClient, testConfig, withWorker } from '../../support/servers/temporal';
import { readLedger, withSandbox } from '../../support/service/sandbox';

/** Presses "Start Workflow" in the form of "Start Workflow Like This One". */
async function startLikeThis(
  page: Page,
  uiUrl: string,
  closed: { workflowId: string; runId: string; taskQueue: string },
  changes: Partial<Record<'workflowId' | 'workflowType', string>> = {},
): Promise<void> {
  const like = new URLSearchParams({ ...closed, workflowType: 'media' });
  await page.goto(`${uiUrl}/namespaces/default/workflows/start-workflow?${like.toString()}`);
  // The form has the input of the closed run when it was read.
  await page.locator('.cm-content').filter({ hasText: 'image_url' }).first().waitFor();
  for (const [field, value] of Object.entries(changes)) await page.locator(`#${field}`).fill(value);
  await page.getByTestId('start-workflow-button').click();
  await page.getByText('Workflow Started', { exact: false }).first().waitFor();
}

test('P1: "Start Workflow Like This One" of a closed job submits nothing; as mediaRequest it gives the result', async () => {
  const server = await startDevServer(shared().temporalBinary, {});
  const temporal = await connectTo(server.address);
  const browser = await launchBrowser();
  const config = testConfig();
  const key = `ui-${randomUUID()}`;
  const submissions = await withSandbox({ pace: { kind: 'instant' } }, (sandboxUrl) =>
    withWorker(temporal, config, sandboxUrl, async () => {
      const request = { image_url: `${sandboxUrl}/samples/mug.png` };
      const { media } = segueClient(temporal, config);
      const first = await media.run({ key, tool: 'remove-background', request });
      const { runId } = await temporal.client.workflow.getHandle(first.workflowId).describe();
      const closed = { workflowId: first.workflowId, runId, taskQueue: config.taskQueue };
      const page = await browser.newPage();

      await startLikeThis(page, server.uiUrl ?? '', closed);
      const again = temporal.client.workflow.getHandle(first.workflowId);
      await expect(again.result()).rejects.toMatchObject({
        cause: { type: 'UnsafeStart', message: expect.stringContaining('mediaRequest') },
      });

      const workflowId = `request-${key}`;
      await startLikeThis(page, server.uiUrl ?? '', closed, { workflowId, workflowType: 'mediaRequest' });
      expect(await temporal.client.workflow.getHandle(workflowId).result()).toMatchObject({
        ...{ key, status: 'succeeded', taskId: first.taskId },
      });
      return (await readLedger(sandboxUrl)).summary;
    }),
  );
  expect(submissions).toMatchObject({ submissions: 1, duplicates: 0 });
  await browser.close();
  await temporal.close();
  await server.stop();
}, 600_000);
