/** Items done by the hand-written workflow, one run each. */
const { randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { inParallel } = require('../../dist/platform/parallel');
const { measureRow } = require('../row');
const { POLL_EVERY_MS, WORKSPACE } = require('../settings');
const { control, ledgerSummary } = require('../stage');

const WARM_UP = 100;
const STARTED_AT_ONCE = 50;

exports.handWrittenRow = async function handWrittenRow(items, stage, sandbox) {
  const startWorker = (taskQueue) => stage.handWrittenWorker(taskQueue, sandbox.url);
  const inputs = Array.from({ length: WARM_UP + items }, () => inputFor(sandbox.url));
  const projects = inputs.map(({ project }) => ({ ...project, workspace: Number(WORKSPACE), data: {} }));
  await control(sandbox.url, 'seed', { projects });
  const row = { name: 'hand-written', items, warmUp: WARM_UP };
  return measureRow(row, stage, startWorker, async (taskQueue, size) => {
    const { notifications: before } = await ledgerSummary(sandbox.url);
    await inParallel(STARTED_AT_ONCE, inputs.splice(0, size), (input) =>
      stage.client.workflow.start('mediaByHand', { taskQueue, workflowId: input.key, args: [input] }),
    );
    // Nobody waits for each run: that would cost the server more.
    while ((await ledgerSummary(sandbox.url)).notifications < before + size) await sleep(100);
  });
};

function inputFor(sandboxUrl) {
  const key = `by-hand-${randomUUID()}`;
  return {
    ...{ key, pollEveryMs: POLL_EVERY_MS },
    request: { image_url: `${sandboxUrl}/samples/mug.png` },
    ...{ project: { resourcetype: 'campaign', id: key }, at: 'result' },
    notice: { userId: 'u-1', workspaceId: WORKSPACE },
  };
}
