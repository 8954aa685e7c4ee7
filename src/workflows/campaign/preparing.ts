/** What happens before any paid work. */
import { ActivityFailure, condition, isCancellation, proxyActivities } from '@temporalio/workflow';
import { HEARTBEAT_TIMEOUT_MS, LONGEST_CALL_MS, type SegueActivities } from '../../contract';
import { continueWhenLong, mayContinue } from './continuing';
import { campaignFailed } from './ending';
import { type Campaign, remark } from './run';
import { save, saveAll, untilSaved } from './saving';
import { enterStage } from './stage';

/** Reads that may take many pages; asked again for as long as the service is in trouble. */
const reads = proxyActivities<SegueActivities>({
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

const { readPlace } = proxyActivities<SegueActivities>({
  startToCloseTimeout: LONGEST_CALL_MS,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Whether everything is there that the campaign needs. All problems end it at once, before anything is paid for. */
export async function prepare(run: Campaign): Promise<void> {
  const { input, progress } = run;
  const { voices = [], boards = [] } = input.require ?? {};
  const media = input.media ?? {};
  const [taken, found] = await Promise.all([
    takePlace(run),
    reads.prepareCampaign({ scope: input.scope, media, voices, boards }),
  ]);
  progress.clock = found.clock;
  for (const words of found.remarks) remark(run, words);
  const saved = await untilSaved(run);
  const problems = [
    ...taken,
    ...(saved.ok ? await keepPlace(run) : []),
    ...found.problems,
    ...(saved.ok ? [] : [`the project did not take the campaign's configuration: ${saved.error}`]),
  ];
  if (problems.length > 0) throw campaignFailed(run, 'it cannot begin', problems);
  await untilResumed(run);
  enterStage(run, input.research ? 'researching' : 'producing');
}

/** Two campaigns at one place would write over each other: the one that came first keeps it until its end. */
async function takePlace(run: Campaign): Promise<string[]> {
  const problems = await problemsOfPlace(run);
  if (problems.length === 0) saveAll(run);
  return problems;
}

/** Another may have looked at the same moment and written later: then it is that one's place. */
async function keepPlace(run: Campaign): Promise<string[]> {
  return run.place === 'ours' ? problemsOfPlace(run) : [];
}

async function problemsOfPlace(run: Campaign): Promise<string[]> {
  const { key, scope, project } = run.input;
  const other = await readPlace({ key, scope, project, at: run.at }).catch((error: unknown) => {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    // What cannot be read is written to all the same, and that tells what is wrong.
    return null;
  });
  if (other === null) return [];
  run.place = 'taken';
  return [
    `at: campaign ${other} still runs and keeps its state at ${run.at} of this project; give this one a place of its own, or wait for its end`,
  ];
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
