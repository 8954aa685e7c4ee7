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
import { problemsOfCarried } from './steps/start';
import { unwrapped } from './lib/unwrapped';

const RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

/** Asks the Temporal server alone, so that trouble passes with the server's. */
const { startFired, readFiredEnd } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: RETRY,
});

/** The same for a batch, whose manifest is read, and may be long. */
const { startFired: readAndStart } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: RETRY,
});

/** What was started tells its end, unless it is terminated. */
const LOOK_EVERY = '1h';
/** The same of a run that was there before and may just have told it, or that said so and was not over yet. */
const LOOK_AGAIN = '1m';

/**
 * One firing of a schedule: starts what is due, and stays open until that has ended, so that the schedule knows what
 * overlaps. Cancelled, it leaves what it started alone.
 */
export async function firing(input: FiringInput): Promise<FiringResult> {
  const { schedule, time } = ownFiring(input);
  const news = listenForNews();
  const { isOver = false, ...run } = input.carried ?? (await start(input, schedule, time));
  setCurrentDetails(`Waits for the end of \`${run.workflowId}\`.`);
  // What an old run told before it was found, and what the run before this one was told, is not told again.
  const mayHaveEnded = isOver || run.existing || input.carried !== undefined;
  const end = await untilEnded(input, schedule, { run, mayHaveEnded }, news);
  setCurrentDetails(`\`${run.workflowId}\` ended: ${end.status}.`);
  return { schedule, time, ...run, ...end };
}

function start(input: FiringInput, schedule: string, time: string): Promise<FiredRun> {
  const { target, spec, timezone, poll, submit } = input;
  const order = { schedule, time, target, spec, timezone, poll, submit };
  if (target.kind !== 'batch') return unwrapped(() => startFired(order));
  // What is begun is handed over whole: half a batch would wait for the rest for ever.
  return unwrapped(() => CancellationScope.nonCancellable(() => readAndStart(order)));
}

function ownFiring(input: FiringInput): { schedule: string; time: string } {
  const { workflowId } = workflowInfo();
  const own = firingIn(workflowId);
  if (own && problemsOfCarried(input).length === 0) return own;
  throw ApplicationFailure.nonRetryable(
    `${workflowId} was not started by its schedule: only a schedule of Segue starts this workflow`,
    FAILURE.unsafeStart,
  );
}

/** The ids of runs that told something since it was looked at last. */
function listenForNews(): Set<unknown> {
  const told = new Set<unknown>();
  setHandler(
    jobNewsSignal,
    (news: unknown) => {
      if (isRecord(news)) told.add(news.workflowId);
    },
    { description: 'The run that this firing started is about to end: { workflowId, stage }.' },
  );
  return told;
}

async function untilEnded(
  input: FiringInput,
  schedule: string,
  { run, mayHaveEnded }: { run: FiredRun; mayHaveEnded: boolean },
  news: Set<unknown>,
): Promise<FiredEnd> {
  const { workflowId } = run;
  const isTold = (): boolean => news.has(workflowId);
  let pause: typeof LOOK_EVERY | typeof LOOK_AGAIN | undefined = mayHaveEnded ? undefined : LOOK_EVERY;
  for (;;) {
    if (pause) await condition(isTold, pause);
    const isEnding = news.delete(workflowId);
    const end = await readFiredEnd({ schedule, workflowId, isEnding });
    if (end) return end;
    pause = isEnding || pause === undefined ? LOOK_AGAIN : LOOK_EVERY;
    if (workflowInfo().continueAsNewSuggested && !isTold())
      await continueAsNew<typeof firing>({ ...input, carried: run });
  }
}
