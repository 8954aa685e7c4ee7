/** Firings that another language, or a person, started in a way that cannot work. */
import { randomUUID } from 'node:crypto';
import { FIRING_WORKFLOW, type FiringInput } from '../../../src/contract';
import { testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
/** None of them gets as far as to ask the service. */
const NOBODY = 'http://127.0.0.1:9';
const TIME = '2026-01-01T02:00:00Z';
/** Tests of other files start firings, too. */
const NAME = randomUUID();

const INPUT: FiringInput = {
  target: {
    kind: 'outlook',
    spec: { project: { resourcetype: 'campaign', id: '7' }, boards: ['launch-board'] },
  },
  spec: { cron: '0 2 * * *' },
  timezone: 'UTC',
};
const CARRIED = { workflowId: 'outlook/none', existing: false };

test.each([
  ['of no schedule', `firing/${NAME}`, INPUT, /was not started by its schedule/],
  [
    'with a zone that nobody knows',
    `firing/a-${NAME}-${TIME}`,
    { ...INPUT, timezone: 'Mars' },
    /timezone: must be the name of a time zone/,
  ],
  ['of nothing', `firing/b-${NAME}-${TIME}`, { ...INPUT, target: { kind: 'media' } }, /target: must be/],
  ['without a target', `firing/d-${NAME}-${TIME}`, { ...INPUT, target: null }, /target: must be/],
  ['without an input', `firing/e-${NAME}-${TIME}`, null, /was not started by its schedule/],
  [
    'with a state that no run handed over',
    `firing/c-${NAME}-${TIME}`,
    { ...INPUT, carried: CARRIED },
    /was not started by its/,
  ],
  [
    'of a deleted schedule, where clocks are put back,',
    `firing/f-${NAME}-2025-10-26T00:00:00Z`,
    { ...INPUT, timezone: 'Europe/Berlin' },
    /The schedule f-.* is deleted/,
  ],
])('a firing %s fails at once', async (_what, workflowId, input, words) => {
  const config = testConfig();
  await withWorker(temporal, config, NOBODY, async () => {
    const { taskQueue } = config;
    const firing = await temporal.client.workflow.start(FIRING_WORKFLOW, {
      workflowId,
      taskQueue,
      args: [input],
    });
    await expect(firing.result()).rejects.toMatchObject({
      cause: { message: expect.stringMatching(words) },
    });
  });
});
