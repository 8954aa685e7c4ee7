/** Other runs: what starts them, when they are checked, how they ended. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  condition,
  proxyActivities,
  sleep,
  startChild,
  TemporalFailure,
  TimeoutFailure,
  type Workflow,
  workflowInfo,
} from '@temporalio/workflow';
import {
  END_STAGES,
  FAILURE,
  type JobEnd,
  jobNewsSignal,
  type ReadEndOrder,
  type SegueActivities,
  START_MEMO,
} from '../../contract';
import { newBackoff } from './atMostOnce';
import { onSignal } from './listeners';

/** A run reports its end by signal, unless it was terminated: so runs without a report are checked at intervals. */
export const CHECK_EVERY_MS = 3_600_000;
/** For a run that reported its end, and was still open when it was read. */
export const RECHECK_MS = 60_000;

/** Reads from the Temporal server alone, so it is retried without end. */
export const { readEnd, readEnds } = proxyActivities<SegueActivities>({ startToCloseTimeout: '40s' });

/** The ends of many runs, in their order. One activity for each run would cost three events for each. */
export async function readManyEnds(orders: ReadEndOrder[]): Promise<JobEnd[]> {
  const [first, ...others] = orders;
  if (first && others.length === 0) return [await readEnd(first)];
  return (await Promise.all(inLists(orders).map((list) => readEnds(list)))).flat();
}

/** The ends of fifty runs fit into the result of one activity. */
export const LONGEST_LIST = 50;

export function inLists<Item>(all: Item[], longest = LONGEST_LIST): Item[][] {
  const lists: Item[][] = [];
  for (let from = 0; from < all.length; from += longest) lists.push(all.slice(from, from + longest));
  return lists;
}

/** Signalled just before the end. */
export const ENDS: ReadonlySet<unknown> = new Set(END_STAGES);

/** The ids of the runs that report their end by signal, each until it is removed. */
export function listenForEnds(): Set<unknown> {
  const reported = new Set<unknown>();
  const description = 'What the run that this one waits for is at: { workflowId, stage }.';
  onSignal(jobNewsSignal, description, ({ workflowId, stage }) => {
    if (ENDS.has(stage)) reported.add(workflowId);
  });
  return reported;
}

interface OtherRun<End> {
  workflowId: string;
  /** From {@link listenForEnds}. */
  reported: Set<unknown>;
  /** It may have reported before this run listened. */
  mayHaveEnded: boolean;
  checkEveryMs: number;
  /** Null while the run is open. `isEnding`: it reported its end, and is waited for a little. */
  read: (isEnding: boolean) => Promise<End | null>;
  continueAsNew: () => Promise<never>;
}

/** Waits for the end of another run: reported by signal, else found by a check at intervals. */
export async function untilEnded<End>(run: OtherRun<End>): Promise<End> {
  const { workflowId, reported, checkEveryMs } = run;
  const isReported = (): boolean => reported.has(workflowId);
  let pause = run.mayHaveEnded ? 0 : checkEveryMs;
  for (;;) {
    if (pause > 0) await condition(isReported, pause);
    const isEnding = reported.delete(workflowId);
    const end = await run.read(isEnding);
    if (end) return end;
    pause = isEnding || pause === 0 ? RECHECK_MS : checkEveryMs;
    if (workflowInfo().continueAsNewSuggested && !isReported()) await run.continueAsNew();
  }
}

export interface ChildStart extends Pick<ChildWorkflowOptions, 'typedSearchAttributes' | 'staticSummary'> {
  workflow: string;
  workflowId: string;
  input: object;
}

/** Starts a run that outlives this one; null where its id has a run already, open or closed. */
export async function startOnce({
  workflow,
  input,
  ...options
}: ChildStart): Promise<ChildWorkflowHandle<Workflow> | null> {
  try {
    return await startChild(workflow, {
      ...options,
      args: [input],
      memo: { [START_MEMO]: workflowInfo().runId },
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: 'ABANDON',
    });
  } catch (error) {
    // The SDK does not export this class.
    const isAlreadyStarted =
      error instanceof TemporalFailure && error.name === 'WorkflowExecutionAlreadyStartedError';
    if (!isAlreadyStarted) throw error;
    return null;
  }
}

/** Signals another run until it takes the signal; false where it is over. */
export async function signalUntilTaken(
  send: () => Promise<void>,
  isOpen: () => Promise<boolean>,
  summary: string,
): Promise<boolean> {
  const pause = newBackoff();
  for (;;) {
    try {
      await send();
      return true;
    } catch {
      if (!(await isOpen())) return false;
      await sleep(pause(), { summary });
    }
  }
}

/** A cancellation stops no start that has begun: half a batch would wait for its other half for ever. */
export function uncancellableOnceBegun<T>(start: () => Promise<T>): Promise<T> {
  return CancellationScope.current().consideredCancelled ? start() : CancellationScope.nonCancellable(start);
}

/** The failure that ends an activity also ends the run, with the same message and type. */
export async function unwrapped<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (cause instanceof TimeoutFailure) {
      const message = `No answer came in time: ${cause.cause?.message ?? 'no worker started the activity'}`;
      throw ApplicationFailure.nonRetryable(message, FAILURE.unreachable);
    }
    if (!(cause instanceof ApplicationFailure)) throw error;
    throw ApplicationFailure.nonRetryable(cause.message, cause.type, ...(cause.details ?? []));
  }
}
