import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  END_STAGES,
  jobNewsSignal,
  type MediaRequestInput,
  type MediaResult,
  type RequestedRun,
  type SegueActivities,
} from '../contract';
import { isRecord } from '../validation/inputs';
import { requireGoodRequest } from './steps/settings';
import { unwrapped } from './lib/unwrapped';

/** These call only the Temporal server, whose trouble passes. */
const { startMedia, readMediaResult } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** A job tells its end, unless it is terminated or has more listeners than it keeps. */
const LOOK_EVERY = '10m';

const ENDS: readonly unknown[] = END_STAGES;

/**
 * A media job for starters that are not Segue's client: other languages, the `temporal` command, the UI. However often and
 * under whatever id it is started, there is one job for its key, and it gives that job's end. Cancelled, it leaves the job
 * alone.
 */
export async function mediaRequest(input: MediaRequestInput): Promise<MediaResult> {
  requireGoodRequest(input);
  const ended = listenForEnds();
  const { workflowId, isOver } = await unwrapped<RequestedRun>(() => startMedia(input));
  setCurrentDetails(`Waits for the end of \`${workflowId}\`.`);
  if (isOver) ended.add(workflowId);
  for (;;) {
    await condition(() => ended.has(workflowId), LOOK_EVERY);
    const isEnding = ended.delete(workflowId);
    const result = await unwrapped(() => readMediaResult({ workflowId, isEnding }));
    if (result) return result;
    // The next run finds the job as anybody does.
    if (workflowInfo().continueAsNewSuggested && !ended.has(workflowId))
      await continueAsNew<typeof mediaRequest>(input);
  }
}

/** The jobs that told their end. */
function listenForEnds(): Set<unknown> {
  const ended = new Set<unknown>();
  setHandler(
    jobNewsSignal,
    (news: unknown) => {
      if (isRecord(news) && ENDS.includes(news.stage)) ended.add(news.workflowId);
    },
    { description: 'What the job is at: { workflowId, stage }.' },
  );
  return ended;
}
