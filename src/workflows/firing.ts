import {
  ApplicationFailure,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import {
  FAILURE,
  type FiredRun,
  type FiringInput,
  type FiringResult,
  HEARTBEAT_TIMEOUT_MS,
  type SegueActivities,
} from '../contract';
import { firingIn } from '../contract/ids';
import { isRecord } from '../validation/inputs';
import {
  CHECK_EVERY_MS,
  listenForEnds,
  untilEnded,
  unwrapped,
  uncancellableOnceBegun,
} from './lib/otherRuns';
import { validateCarried } from './lib/refuse';

/** Calls only the Temporal server, so it is retried without end. */
const { readFiredEnd } = proxyActivities<SegueActivities>({ startToCloseTimeout: '40s' });

/** A batch has a manifest, which may be long. */
const { startFired } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
});

/**
 * One firing of a schedule: starts the target and stays open until it has ended, so that the schedule sees overlaps.
 * Cancelling the firing does not cancel the target.
 */
export async function firing(input: FiringInput): Promise<FiringResult> {
  const { schedule, time } = ownFiring(input);
  const reported = listenForEnds();
  const { isOver = false, ...run } = input.carried ?? (await start(input, schedule, time));
  const { workflowId } = run;
  setCurrentDetails(`Waits for the end of \`${workflowId}\`.`);
  const end = await untilEnded({
    ...{ workflowId, reported, checkEveryMs: CHECK_EVERY_MS },
    // A report that came before this run existed is not repeated.
    mayHaveEnded: isOver || run.existing || input.carried !== undefined,
    read: (isEnding) => readFiredEnd({ schedule, workflowId, isEnding }),
    continueAsNew: () => continueAsNew<typeof firing>({ ...input, carried: run }),
  });
  setCurrentDetails(`\`${workflowId}\` ended: ${end.status}.`);
  return { schedule, time, ...run, ...end };
}

function start(input: FiringInput, schedule: string, time: string): Promise<FiredRun> {
  const { target, spec, timezone, poll, submit } = input;
  const order = { schedule, time, target, spec, timezone, poll, submit };
  return unwrapped(() => uncancellableOnceBegun(() => startFired(order)));
}

function ownFiring(input: FiringInput): { schedule: string; time: string } {
  const { workflowId } = workflowInfo();
  const own = firingIn(workflowId);
  if (own && isRecord(input) && validateCarried(input).length === 0) return own;
  throw ApplicationFailure.nonRetryable(
    `${workflowId} was not started by its schedule: only a schedule of Segue starts this workflow`,
    FAILURE.unsafeStart,
  );
}
