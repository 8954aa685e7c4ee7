/** What an activity that must not send twice does not send at all. */
import { activityEnvironment } from '../../support/servers/log';
import { createActivities } from '../../../src/activities';
import { type GuardOptions, reasonNotToSend } from '../../../src/activities/atMostOnce/sendOnce';
import { testApi } from '../../support/service/api';
import { answer, type RawServer, startRawServer } from '../../support/service/rawServer';

const RESTORED = new Date('2026-01-31T14:00:00Z');
const RUN = { workflowExecution: { workflowId: 'media/k', runId: 'r' }, startToCloseTimeoutMs: 40_000 };

const orderedAt = (ms: number) => ({
  ...{ ...RUN, attempt: 1, scheduledTimestampMs: ms, currentAttemptScheduledTimestampMs: ms },
});

describe('P1: a submission that may have been sent before has a reason not to be sent', () => {
  const info = orderedAt(1_000);
  const restored = { holdBefore: RESTORED };

  test.each<[string, Parameters<typeof reasonNotToSend>[0], string, GuardOptions, string | undefined]>([
    ['a first attempt', info, 'r', {}, undefined],
    ['a second attempt', { ...info, attempt: 2 }, 'r', {}, 'attempt 2'],
    [
      'one scheduled anew',
      { ...info, currentAttemptScheduledTimestampMs: 1_001 },
      'r',
      {},
      'scheduled again',
    ],
    ['one of a reset run', info, 'another', {}, 'was reset'],
    ['one without a run', { ...info, workflowExecution: undefined }, 'r', {}, 'was reset'],
    [
      'one ordered a moment before Temporal was restored',
      orderedAt(RESTORED.getTime() - 1),
      ...(['r', restored, 'before SEGUE_HOLD_SUBMITS_BEFORE (2026-01-31'] as const),
    ],
    ['one ordered after that', orderedAt(RESTORED.getTime()), 'r', restored, undefined],
  ])('%s', (_case, execution, runId, options, reason) => {
    const refusal = reasonNotToSend(execution, runId, options);
    if (reason === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toContain(reason);
  });
});

describe('P1 P4: submit and notify', () => {
  const notification = {
    ...{ userId: 'u', workspaceId: 'w', title: 'T', message: 'm' },
    category: 'agentNudge' as const,
  };
  const submission = {
    ...{ key: 'k', attempt: 1, tool: 'remove-background', runId: 'r' },
    request: { image_url: 'https://example.com/a.png' },
  };
  const notice = { notification, requestId: 'n', runId: 'r' };
  let server: RawServer;

  beforeEach(async () => {
    server = await startRawServer((socket) =>
      socket.end(answer('202 Accepted', '{"task_id":"t-1"}', ['connection: close'])),
    );
  });
  afterEach(() => server.stop());

  async function withActivities(
    options: GuardOptions,
    work: (activities: ReturnType<typeof createActivities>) => Promise<void>,
  ): Promise<void> {
    const api = testApi(server.url);
    await work(createActivities(api, options));
    await api.close();
  }

  test.each([
    ['by a second attempt', { ...orderedAt(1_000), attempt: 2 }, {}, 'attempt 2'],
    ['that was ordered before the restore', orderedAt(1_000), { holdBefore: RESTORED }, 'SEGUE_HOLD_SUBMITS'],
  ])('send nothing %s, and say unknown', async (_case, info, options, reason) => {
    await withActivities(options, async ({ general, submits }) => {
      const environment = activityEnvironment(info);
      const unknown = { outcome: 'unknown', reason: expect.stringContaining(reason) };
      expect(await environment.run(submits.submit, submission)).toEqual(unknown);
      expect(await environment.run(general.notify, notice)).toEqual(unknown);
    });
    expect(server.received).toHaveLength(0);
  });

  test.each([
    ['is sent before it', 60_000, 'sent', 1],
    ['is not sent from then on', -1, 'notSent', 0],
  ])('a notification with a time of its own %s', async (_case, ms, outcome, requests) => {
    await withActivities({ checkScheduledTime: false }, async ({ general }) => {
      const sendBefore = new Date(Date.now() + ms).toISOString();
      const environment = activityEnvironment(RUN);
      expect(await environment.run(general.notify, { ...notice, sendBefore })).toMatchObject({ outcome });
    });
    expect(server.received.filter((request) => request !== '')).toHaveLength(requests);
  });
});
