import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  FAILURE,
  type FiredEnd,
  type FiredRun,
  type FiringInput,
  type FiringResult,
  HEARTBEAT_TIMEOUT_MS,
  jobNewsSignal,
  type SegueActivities,
} from '../contract';
import { firingIn } from '../contract/ids';
import { isRecord } from '../validation/inputs';
import { unwrapped } from './lib/otherRuns';
import { validateCarried } from './steps/job';

const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

/** These call only the Temporal server, so they are retried without end. */
const { startFired, readFiredEnd } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: RETRY,
});

/** A batch has a manifest, which may be long. */
const { startFired: readAndStart } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: RETRY,
});

/** A run reports its end, unless it is terminated. */
const CHECK_EVERY = '1h';
/** After a report, or when the run existed before and may have reported already. */
const CHECK_SOON = '1m';

/**
 * One firing of a schedule: starts the target and stays open until it has ended, so that the schedule sees overlaps.
 * Cancelling the firing does not cancel the target.
 */
export async function firing(input: FiringInput): Promise<FiringResult> {
  const { schedule, time } = ownFiring(input);
  const news = listenForNews();
  const { isOver = false, ...run } = input.carried ?? (await start(input, schedule, time));
  setCurrentDetails(`Waits for the end of \`${run.workflowId}\`.`);
  // A report that came before this run existed is not repeated.
  const mayHaveEnded = isOver || run.existing || input.carried !== undefined;
  const end = await untilEnded(input, schedule, { run, mayHaveEnded }, news);
  setCurrentDetails(`\`${run.workflowId}\` ended: ${end.status}.`);
  return { schedule, time, ...run, ...end };
}

function start(input: FiringInput, schedule: string, time: string): Promise<FiredRun> {
  const { target, spec, timezone, poll, submit } = input;
  const order = { schedule, time, target, spec, timezone, poll, submit };
  // A schedule that another program changed may have no target: the activity refuses it with all its problems.
  if (!isRecord(target) || target.kind !== 'batch') return unwrapped(() => startFired(order));
  // Not cancellable: half a batch would wait for its other half for ever.
  return unwrapped(() => CancellationScope.nonCancellable(() => readAndStart(order)));
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

/** The ids of runs that reported something since the last check. */
function listenForNews(): Set<unknown> {
  const reported = new Set<unknown>();
  setHandler(
    jobNewsSignal,
    (news: unknown) => {
      if (isRecord(news)) reported.add(news.workflowId);
    },
    { description: 'The run that this firing started is about to end: { workflowId, stage }.' },
  );
  return reported;
}

async function untilEnded(
  input: FiringInput,
  schedule: string,
  { run, mayHaveEnded }: { run: FiredRun; mayHaveEnded: boolean },
  news: Set<unknown>,
): Promise<FiredEnd> {
  const { workflowId } = run;
  const isReported = (): boolean => news.has(workflowId);
  let pause: typeof CHECK_EVERY | typeof CHECK_SOON | undefined = mayHaveEnded ? undefined : CHECK_EVERY;
  for (;;) {
    if (pause) await condition(isReported, pause);
    const isEnding = news.delete(workflowId);
    const end = await readFiredEnd({ schedule, workflowId, isEnding });
    if (end) return end;
    pause = isEnding || pause === undefined ? CHECK_SOON : CHECK_EVERY;
    if (workflowInfo().continueAsNewSuggested && !isReported())
      await continueAsNew<typeof firing>({ ...input, carried: run });
  }
}
