import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  sleep,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Changed,
  type ChangeOutcome,
  type ChangeRequest,
  changedSignal,
  changeSignal,
  changeUpdate,
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  isAccessDenied,
  type ProjectWriterInput,
  projectWriterStateQuery,
  type Receipt,
  type SegueActivities,
  type WriteNote,
} from '../contract';
import { httpStatusOf } from './lib/atMostOnce';
import {
  describeWriter,
  hasWork,
  nextBatch,
  noteTrouble,
  outcomeOf,
  validateRequest,
  receive,
  settle,
  startWriter,
  take,
  type Writer,
} from './writer/queue';

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 60_000];

const { writeProject } = proxyActivities<SegueActivities>({
  summary: 'reads the project, applies what is queued, and writes it with one PATCH',
  startToCloseTimeout: '10m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  // Each attempt reads the project first, so a retry is harmless. After three, the run shows the error and waits, and
  // later changes can join.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 3 },
});

/** A run without work ends after this long; the next change starts another run. */
const IDLE_AFTER = '1m';

/** The SDK limits how many signals a run sends at once. */
const MOST_ANSWERS = 500;

/** The one run that changes a project: it queues the changes of all runs, writes them together and answers each run. */
export async function projectWriter(input: ProjectWriterInput): Promise<void> {
  const writer = startWriter(input);
  handleRequests(writer);
  for (;;) {
    // A cancelled writer still writes its queue: a requester that is gone would not ask again.
    if (hasWork(writer) || (await condition(() => hasWork(writer), IDLE_AFTER))) {
      // A write is never cut short: the next run must not write beside it.
      await CancellationScope.nonCancellable(async () => {
        await writeQueued(writer);
        await answerRequesters(writer);
        // Updates are answered before a cancelled run ends.
        await condition(() => allHandlersFinished() || hasWork(writer));
      });
      if (!workflowInfo().continueAsNewSuggested) continue;
      writer.handingOver = true;
    }
    await CancellationScope.nonCancellable(() =>
      condition(() => allHandlersFinished() || (!writer.handingOver && hasWork(writer))),
    );
    // Nothing is awaited from here to the end of the run: a change that arrived in between would be lost.
    if (writer.handingOver) await continueAsNew<typeof projectWriter>({ ...input, carried: writer.progress });
    if (!hasWork(writer)) return;
  }
}

/** Writes one batch of the queue. When the write fails, the changes stay in the queue. */
async function writeQueued(writer: Writer): Promise<void> {
  const batch = nextBatch(writer);
  if (batch.length === 0) return;
  const { project, organization } = writer.input;
  const scope = { organization, space: batch[0]?.space };
  const changes = batch.map(({ changeId, change }) => ({ changeId, change }));
  try {
    const report = await writeProject({ project, scope, changes });
    settle(writer, report);
    writer.progress.failures = 0;
    if (report.applied.length + report.refused.length === batch.length) writer.progress.deniedSince = null;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    await waitToRetry(writer, error, changes);
  }
}

/** Errors are retried for ever, but 401 and 403 only for the grace time in which keys get rotated. */
async function waitToRetry(
  writer: Writer,
  failure: ActivityFailure,
  changes: { changeId: string }[],
): Promise<void> {
  const { progress, authGraceMs } = writer;
  const error = failure.cause?.message ?? failure.message;
  const isDenied = isAccessDenied(httpStatusOf(failure.cause));
  progress.failures += 1;
  progress.deniedSince = isDenied ? (progress.deniedSince ?? new Date().toISOString()) : null;
  if (progress.deniedSince !== null && Date.now() - Date.parse(progress.deniedSince) >= authGraceMs) {
    settle(writer, { applied: [], refused: changes.map(({ changeId }) => ({ changeId, error })) });
    return;
  }
  noteTrouble(writer, error);
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (progress.failures - 1), LONGEST_PAUSE_MS);
  await sleep(Math.max(pause, unsettledMs(failure)));
}

/** No further attempt reads the heartbeat of the last one, so the workflow waits until its PATCH cannot arrive any more. */
function unsettledMs({ cause }: ActivityFailure): number {
  const note = cause instanceof TimeoutFailure ? (cause.lastHeartbeatDetails as WriteNote | undefined) : null;
  return note ? note.unsettledUntil - Date.now() : 0;
}

function handleRequests(writer: Writer): void {
  setHandler(projectWriterStateQuery, () => describeWriter(writer), {
    description: 'Which changes wait, how many were applied and refused, and the last trouble.',
  });
  setHandler(
    changeSignal,
    async (request) => {
      const isKept = receive(writer, request);
      if (isKept !== undefined) await acknowledge(writer, request, isKept);
    },
    { description: 'Asks for a change: { changeId, change, replyTo }. The outcome is signalled to replyTo.' },
  );
  setHandler(changeUpdate, (request) => takeAndWait(writer, request), {
    description: 'Asks for a change, { changeId, change }, and waits until it is applied or refused.',
    validator: (request: ChangeRequest) => {
      const problems = validateRequest(writer, request);
      if (problems.length > 0)
        throw ApplicationFailure.nonRetryable(
          `The change was not taken: ${problems.join('; ')}`,
          FAILURE.badChange,
        );
    },
  });
}

async function takeAndWait(writer: Writer, request: ChangeRequest): Promise<ChangeOutcome> {
  take(writer, request);
  await CancellationScope.nonCancellable(() =>
    condition(() => writer.handingOver || outcomeOf(writer, request.changeId) !== undefined),
  );
  const outcome = outcomeOf(writer, request.changeId);
  if (outcome) return outcome;
  throw ApplicationFailure.nonRetryable(
    `The change is kept, but this run hands over to the next one; ask again with the change id ${request.changeId}`,
    FAILURE.askAgain,
  );
}

async function answerRequesters(writer: Writer): Promise<void> {
  const answers = writer.progress.answers.splice(0, MOST_ANSWERS);
  await Promise.all(
    answers.map(async ({ changeId, replyTo }) => {
      const outcome = outcomeOf(writer, changeId);
      if (outcome) await reply(replyTo, { changeId, ...outcome });
    }),
  );
}

/** Tells a requester that its change was rejected, or, if it wants that, accepted. Without this signal it asks again. */
async function acknowledge(
  writer: Writer,
  { changeId, replyTo, receipt }: ChangeRequest,
  isKept: boolean,
): Promise<void> {
  // A run that continues as new would otherwise never end its handlers.
  const isWanted = isKept ? receipt === true : !writer.handingOver;
  if (!isWanted || !replyTo || writer.acks >= MOST_ANSWERS) return;
  writer.acks += 1;
  await reply(replyTo, { changeId, isKept });
  writer.acks -= 1;
}

/** Never fails: a requester that missed the answer asks again. */
async function reply(requester: string, changed: Changed | Receipt): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(requester).signal(changedSignal, changed),
  ).catch(() => undefined);
}
