/** What happens before any paid work. */
import { condition, proxyActivities } from '@temporalio/workflow';
import { HEARTBEAT_TIMEOUT_MS, type SegueActivities } from '../../contract';
import { continueWhenLong, mayContinue } from './continuing';
import { campaignFailed } from './ending';
import { type Campaign, remark } from './run';
import { save, untilSaved } from './saving';
import { enterStage } from './stage';

/** Reads that may take many pages; asked again for as long as the service is in trouble. */
const reads = proxyActivities<SegueActivities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Whether everything is there that the campaign needs. All problems end it at once, before anything is paid for. */
export async function prepare(run: Campaign): Promise<void> {
  const { input, progress } = run;
  const { voices = [], boards = [] } = input.require ?? {};
  const found = await reads.prepareCampaign({ scope: input.scope, media: input.media ?? {}, voices, boards });
  progress.clock = found.clock;
  for (const words of found.remarks) remark(run, words);
  const saved = await untilSaved(run);
  const problems = [
    ...found.problems,
    ...(saved.ok ? [] : [`the project did not take the campaign's configuration: ${saved.error}`]),
  ];
  if (problems.length > 0) throw campaignFailed(run, 'it cannot begin', problems);
  await untilResumed(run);
  enterStage(run, input.research ? 'researching' : 'producing');
}

export async function research(run: Campaign): Promise<void> {
  const { input, progress } = run;
  progress.research = await reads.research({ ...input.research, scope: input.scope });
  for (const words of progress.research.remarks) remark(run, words);
  save(run, 'research');
  await untilResumed(run);
  enterStage(run, 'producing');
}

async function untilResumed(run: Campaign): Promise<void> {
  while (run.progress.paused !== null) {
    await condition(() => run.progress.paused === null || mayContinue(run));
    await continueWhenLong(run);
  }
}
