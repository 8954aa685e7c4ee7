/** Jobs that stand at their end, because the service takes neither result nor notification: the list says where. */
import { randomUUID } from 'node:crypto';
import { tsToMs } from '@temporalio/common/lib/time';
import { type temporal as proto } from '@temporalio/proto';
import { type RuleRequest } from '../../../sandbox/src/faults/rules';
import { startByName } from '../../support/builders/jobs';
import { stagesOf } from '../../support/servers/runs';
import { addFault, readLedger, useSandboxEach } from '../../support/service/sandbox';
import { testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';
import { seedProject } from '../../support/builders/writing';

type HistoryEvent = proto.api.history.v1.IHistoryEvent;

const MINUTE_MS = 60_000;

const temporal = useTimeSkipping();
const sandbox = useSandboxEach({ pace: { kind: 'instant' } });

/** Runs a job whose first requests of this kind meet the fault; gives its history. */
async function delayedJob(fault: Omit<RuleRequest, 'match'>, hits: number): Promise<HistoryEvent[]> {
  const key = `late-${randomUUID()}`;
  const project = await seedProject(sandbox.url);
  for (let nth = 1; nth <= hits; nth++) await addFault(sandbox.url, { ...fault, match: { nth } });
  const config = testConfig();
  return withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const handle = await startByName(temporal, config, sandbox.url, {
        key,
        write: { project, at: '/shoe' },
        notify: { userId: 'u', workspaceId: '1' },
      });
      expect(await handle.result()).toMatchObject({ written: { ok: true }, notified: { status: 'sent' } });
      const { events } = await handle.fetchHistory();
      return events ?? [];
    },
    { checkScheduledTime: false },
  );
}

const usual = ['submitting', 'polling', 'succeeded'];

test.each<[string, string, number, string[]]>([
  ['takes no PATCH for a while', 'update-project', 30, ['writing', 'notifying']],
  ['takes no PATCH for a moment', 'update-project', 1, []],
  ['takes no notification for a while', 'notify', 12, ['notifying']],
  ['takes no notification for a moment', 'notify', 2, []],
])('a service that %s', async (_case, operation, hits, stages) => {
  const fault = { operation, fault: 'status', status: 429, when: 'before' } as const;
  const listed = stagesOf(await delayedJob(fault, hits));
  expect(listed.filter((stage) => !usual.includes(stage))).toEqual(stages);
});

test.each([
  ['as long as the service asks', 20, 20],
  ['an hour at most', 180, 60],
])(
  'a notification that the service does not take now is sent again after %s',
  async (_case, asked, waited) => {
    const fault = { operation: 'notify', fault: 'status', status: 429, when: 'before' } as const;
    const events = await delayedJob({ ...fault, ms: asked * MINUTE_MS }, 1);
    const pauses = events.flatMap(({ timerStartedEventAttributes: timer }) =>
      timer?.startToFireTimeout ? [tsToMs(timer.startToFireTimeout)] : [],
    );
    expect(Math.max(...pauses)).toBe(waited * MINUTE_MS);
    const { entries } = await readLedger(sandbox.url);
    expect(entries.filter(({ kind }) => kind === 'notify').map(({ applied }) => applied)).toEqual([
      false,
      true,
    ]);
  },
);
