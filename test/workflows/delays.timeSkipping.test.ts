/** Jobs that stand at their end, because the service takes neither result nor notification: the list says where. */
import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { type RuleRequest } from '../../src/sandbox/faults/rules';
import { startByName } from '../support/jobs';
import { addFault, useSandboxEach } from '../support/sandbox';
import { testConfig, useTimeSkipping, withWorker } from '../support/temporal';
import { seedProject } from '../support/writing';

const temporal = useTimeSkipping();
const sandbox = useSandboxEach({ pace: { kind: 'instant' } });

/** Runs a job whose first requests of this kind meet the fault; gives the stages that its list entry went through. */
async function listedStages(fault: Omit<RuleRequest, 'match'>, hits: number): Promise<unknown[]> {
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
      return (events ?? []).flatMap(({ upsertWorkflowSearchAttributesEventAttributes: listed }) => {
        const stage = listed?.searchAttributes?.indexedFields?.SegueStage;
        return stage ? [defaultPayloadConverter.fromPayload(stage)] : [];
      });
    },
    { checkScheduledTime: false },
  );
}

const usual = ['submitting', 'polling', 'succeeded'];

test.each<[string, string, number, string[]]>([
  ['takes no PATCH for a while', 'update-project', 30, ['writing', 'notifying']],
  ['takes no PATCH for a moment', 'update-project', 1, []],
  ['cannot name its workspace for a while', 'get-workspace', 12, ['writing', 'notifying']],
  ['takes no notification for a while', 'notify', 12, ['notifying']],
  ['takes no notification for a moment', 'notify', 2, []],
])('a service that %s', async (_case, operation, hits, stages) => {
  const fault = { operation, fault: 'status', status: 429, when: 'before' } as const;
  const listed = await listedStages(fault, hits);
  expect(listed.filter((stage) => !usual.includes(String(stage)))).toEqual(stages);
});
