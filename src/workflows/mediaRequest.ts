import { continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { type MediaRequestInput, type MediaResult, type SegueActivities } from '../contract';
import { isRecord } from '../validation/inputs';
import { listenForEnds, untilEnded, unwrapped } from './lib/otherRuns';
import { readMediaSettings } from './steps/mediaJob';

/** These call only the Temporal server, so they are retried without end. */
const { startMedia, readMediaResult } = proxyActivities<SegueActivities>({ startToCloseTimeout: '40s' });

/** Somebody waits for the result, and a job with too many listeners does not report its end. */
const CHECK_EVERY_MS = 600_000;

/**
 * A media job for starters that are not Segue's client: other languages, the `temporal` command, the UI. It starts the one
 * job of its key, or attaches to it, and gives that job's result. Cancelling the request does not cancel the job.
 */
export async function mediaRequest(input: MediaRequestInput): Promise<MediaResult> {
  // A request may have no key; everything else follows the rules of a job.
  readMediaSettings(isRecord(input) ? { ...input, key: input.key ?? 'none' } : input);
  const reported = listenForEnds();
  const { workflowId, isOver } = await unwrapped(() => startMedia(input));
  setCurrentDetails(`Waits for the end of \`${workflowId}\`.`);
  return untilEnded({
    ...{ workflowId, reported, mayHaveEnded: isOver, checkEveryMs: CHECK_EVERY_MS },
    read: (isEnding) => unwrapped(() => readMediaResult({ workflowId, isEnding })),
    // The next run attaches to the job again.
    continueAsNew: () => continueAsNew<typeof mediaRequest>(input),
  });
}
