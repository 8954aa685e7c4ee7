/** How a campaign is recorded, and what the recorded ones have in common. */
import { type CampaignInput } from '../../src/contract';
import { type StarterConfig } from '../../src/config';
import { type SandboxOptions } from '../../sandbox/src/server';
import { cutout, newCampaign, startCampaign, TestCampaign } from '../support/builders/campaign';
import { eventually } from '../support/eventually';
import { SANDBOX_PLACES } from '../support/service/records';
import { addFault, answering, ask, startSandbox } from '../support/service/sandbox';
import {
  type SkippingTemporal,
  testConfig,
  type TestTemporal,
  type TestWorkerOptions,
  withWorker,
} from '../support/servers/temporal';
import { type Scenario, whereTimeSkips } from './scenario';

export const NOTIFY = { userId: 'u-1', workspaceId: '1', progress: true };
export const BY_SAM = { args: [{ by: 'sam' }] as [{ by: string }] };

/** One job, and somebody who approves of it. */
export function approved(sandboxUrl: string) {
  return { notify: NOTIFY, media: { cutout: cutout(sandboxUrl) }, approval: { from: 'u-2' } };
}

export function onCutout(at: string): { tool: string; request: Record<string, unknown> } {
  return { tool: 'remove-background', request: { image_url: { from: 'cutout', at } } };
}

/** A job whose task stays unknown for as long as the fault is there. */
export async function unfinished(sandboxUrl: string) {
  await addFault(sandboxUrl, answering(503, 'get-task'));
  return { media: { cutout: cutout(sandboxUrl) } };
}

/** A job that is held: the service took it, and nobody knows. */
export async function lostAnswer(sandboxUrl: string) {
  const lost = { operation: 'remove-background', fault: 'reset', when: 'after' } as const;
  await addFault(sandboxUrl, { ...lost, match: { nth: 1 } });
  return { media: { cutout: cutout(sandboxUrl) } };
}

export const decide =
  (decision: 'approve' | 'reject') =>
  async (campaign: TestCampaign): Promise<void> => {
    await campaign.untilStage('approving');
    await campaign.decide({ decision, by: 'sam', comment: 'looked at it' });
  };

export async function mend(sandboxUrl: string): Promise<void> {
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
}

export async function untilTask(campaign: TestCampaign): Promise<void> {
  await eventually('a task', async () => {
    const { jobs } = await campaign.status();
    return jobs.some(({ taskId }) => taskId !== null);
  });
}

export interface Surroundings {
  pace?: SandboxOptions['pace'];
  config?: Partial<StarterConfig>;
  worker?: TestWorkerOptions;
}

type Spec = Partial<CampaignInput> | Promise<Partial<CampaignInput>>;

/** Runs a campaign and what people do to it, to its end. */
export const conducting =
  (
    spec: (sandboxUrl: string) => Spec,
    meanwhile?: (campaign: TestCampaign, sandboxUrl: string, temporal: TestTemporal) => Promise<unknown>,
    { pace = { kind: 'polls', polls: 1 }, config: settings, worker }: Surroundings = {},
  ): Scenario =>
  async (temporal, keep) => {
    const sandbox = await startSandbox({ pace });
    const config = testConfig(settings);
    const work = async (): Promise<void> => {
      const input = await newCampaign(sandbox.url, await spec(sandbox.url));
      const { handle } = await startCampaign(temporal, config, input);
      const latest = temporal.client.workflow.getHandle(handle.workflowId);
      await meanwhile?.(new TestCampaign(latest), sandbox.url, temporal);
      await latest.result().catch(() => undefined);
      await keep(latest);
    };
    await withWorker(temporal, config, sandbox.url, work, { layout: SANDBOX_PLACES, ...worker });
    await sandbox.stop();
  };

/** The same where hours pass in seconds. */
export const conductingForLong = (
  spec: (url: string, temporal: SkippingTemporal, taskQueue: string) => Spec,
  meanwhile?: (campaign: TestCampaign, temporal: SkippingTemporal, url: string) => Promise<unknown>,
): Scenario =>
  whereTimeSkips(async (temporal, keep) => {
    const config = testConfig();
    const scenario = conducting(
      (url) => spec(url, temporal, config.taskQueue),
      async (campaign, url) => meanwhile?.(campaign, temporal, url),
      { config, worker: { checkScheduledTime: false } },
    );
    await scenario(temporal, keep);
  });
