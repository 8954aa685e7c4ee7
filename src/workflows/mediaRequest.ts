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
import { unwrapped } from './lib/otherRuns';
import { readMediaSettings } from './steps/mediaJob';

/** These call only the Temporal server, so they are retried without end. */
const { startMedia, readMediaResult } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** A job reports its end, unless it is terminated or has too many listeners. */
const CHECK_EVERY = '10m';

const ENDS: readonly unknown[] = END_STAGES;

/**
 * A media job for starters that are not Segue's client: other languages, the `temporal` command, the UI. It starts the one
 * job of its key, or attaches to it, and gives that job's result. Cancelling the request does not cancel the job.
 */
export async function mediaRequest(input: MediaRequestInput): Promise<MediaResult> {
  // A request may have no key; everything else follows the rules of a job.
  readMediaSettings(isRecord(input) ? { ...input, key: input.key ?? 'none' } : input);
  const ended = listenForEnds();
  const { workflowId, isOver } = await unwrapped<RequestedRun>(() => startMedia(input));
  setCurrentDetails(`Waits for the end of \`${workflowId}\`.`);
  if (isOver) ended.add(workflowId);
  for (;;) {
    await condition(() => ended.has(workflowId), CHECK_EVERY);
    const isEnding = ended.delete(workflowId);
    const result = await unwrapped(() => readMediaResult({ workflowId, isEnding }));
    if (result) return result;
    // The next run attaches to the job again.
    if (workflowInfo().continueAsNewSuggested && !ended.has(workflowId))
      await continueAsNew<typeof mediaRequest>(input);
  }
}

/** The ids of the jobs that reported their end. */
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
