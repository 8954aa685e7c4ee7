/** How a campaign is recorded, and what the recorded ones have in common. */
import { type CampaignInput } from '../../src/contract';
import { type StarterConfig } from '../../src/config';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/server';
import { cutout, newCampaign, startCampaign, TestCampaign } from '../support/campaign';
import { SANDBOX_PLACES } from '../support/records';
import {
  type SkippingTemporal,
  startTimeSkippingServer,
  testConfig,
  type TestTemporal,
  type TestWorkerOptions,
  withWorker,
} from '../support/temporal';
import { type Scenario } from './scenario';

export const NOTIFY = { userId: 'u-1', workspaceId: '1', progress: true };
export const BY_SAM = { args: [{ by: 'sam' }] as [{ by: string }] };

/** One job, and somebody who approves of it. */
export function approved(sandboxUrl: string) {
  return { notify: NOTIFY, media: { cutout: cutout(sandboxUrl) }, approval: { from: 'u-2' } };
}

export function onCutout(at: string): { tool: string; request: Record<string, unknown> } {
  return { tool: 'remove-background', request: { image_url: { from: 'cutout', at } } };
}

export const decide =
  (decision: 'approve' | 'reject') =>
  async (campaign: TestCampaign): Promise<void> => {
    await campaign.untilStage('approving');
    await campaign.decide({ decision, by: 'sam', comment: 'looked at it' });
  };

export interface Surroundings {
  pace?: SandboxOptions['pace'];
  config?: Partial<StarterConfig>;
  worker?: TestWorkerOptions;
}

/** Runs a campaign and what people do to it, to its end. */
export async function runCampaign(
  temporal: TestTemporal,
  keep: Parameters<Scenario>[1],
  spec: (sandboxUrl: string) => Partial<CampaignInput> | Promise<Partial<CampaignInput>>,
  meanwhile: (campaign: TestCampaign, sandboxUrl: string) => Promise<unknown> = () => Promise.resolve(),
  { pace = { kind: 'polls', polls: 1 }, config: settings, worker }: Surroundings = {},
): Promise<void> {
  const sandbox = await startSandbox({ pace });
  const config = testConfig(settings);
  const work = async (): Promise<void> => {
    const input = await newCampaign(sandbox.url, await spec(sandbox.url));
    const { handle } = await startCampaign(temporal, config, input);
    const latest = temporal.client.workflow.getHandle(handle.workflowId);
    await meanwhile(new TestCampaign(latest), sandbox.url);
    await latest.result().catch(() => undefined);
    await keep(latest);
  };
  await withWorker(temporal, config, sandbox.url, work, { layout: SANDBOX_PLACES, ...worker });
  await sandbox.stop();
}

/** The same where hours pass in seconds, on a server of its own. */
export async function runLongCampaign(
  keep: Parameters<Scenario>[1],
  spec: (
    url: string,
    temporal: SkippingTemporal,
    taskQueue: string,
  ) => ReturnType<Parameters<typeof runCampaign>[2]>,
  meanwhile: (campaign: TestCampaign, temporal: SkippingTemporal) => Promise<unknown> = () =>
    Promise.resolve(),
): Promise<void> {
  const temporal = await startTimeSkippingServer();
  const config = testConfig();
  await runCampaign(
    temporal,
    keep,
    (url) => spec(url, temporal, config.taskQueue),
    (campaign) => meanwhile(campaign, temporal),
    { config, worker: { checkScheduledTime: false } },
  );
  await temporal.close();
}
