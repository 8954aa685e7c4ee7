import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
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
  type ProjectWriterInput,
  projectWriterStateQuery,
  type Receipt,
} from '../contract';
import {
  describeWriter,
  hasWork,
  outcomeOf,
  problemsOfRequest,
  receive,
  startWriter,
  take,
  type Writer,
} from './writer/writerProgress';
import { writeQueued } from './writer/writes';

/** A run without work ends after this long; the next change starts another. */
const IDLE_AFTER = '1m';

/** Answers on their way at once; a run can only have so many. */
const MOST_ANSWERS = 500;

/** The one run that changes a project: it gathers what everybody asks for, writes it together and answers each. */
export async function projectWriter(input: ProjectWriterInput): Promise<void> {
  const writer = startWriter(input);
  handleRequests(writer);
  for (;;) {
    // Cancelled, it still makes what it has: who asked for it may be gone, and would not ask again.
    if (hasWork(writer) || (await condition(() => hasWork(writer), IDLE_AFTER))) {
      // Nor is a write on its way cut short: a run that follows must not write beside it.
      await CancellationScope.nonCancellable(async () => {
        await writeQueued(writer);
        await answerRequesters(writer);
        // Cancelled, it has nothing more to do: who waits for an Update gets his answer before it ends.
        await condition(() => allHandlersFinished() || hasWork(writer));
      });
      if (!workflowInfo().continueAsNewSuggested) continue;
      writer.handingOver = true;
    }
    await CancellationScope.nonCancellable(() =>
      condition(() => allHandlersFinished() || (!writer.handingOver && hasWork(writer))),
    );
    // From this look to the end of the run nothing is awaited: what arrived in between would be lost.
    if (writer.handingOver) await continueAsNew<typeof projectWriter>({ ...input, carried: writer.progress });
    if (!hasWork(writer)) return;
  }
}

function handleRequests(writer: Writer): void {
  setHandler(projectWriterStateQuery, () => describeWriter(writer), {
    description: 'Which changes wait, how many were applied and refused, and the last trouble.',
  });
  setHandler(
    changeSignal,
    async (request) => {
      const isKept = receive(writer, request);
      if (isKept !== undefined) await giveReceipt(writer, request, isKept);
    },
    { description: 'Asks for a change: { changeId, change, replyTo }. The outcome is signalled to replyTo.' },
  );
  setHandler(changeUpdate, (request) => takeAndWait(writer, request), {
    description: 'Asks for a change, { changeId, change }, and waits until it is applied or refused.',
    validator: (request: ChangeRequest) => {
      const problems = problemsOfRequest(writer, request);
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
      if (outcome) await tell(replyTo, { changeId, ...outcome });
    }),
  );
}

/** For all who are turned away, and for whoever is about to leave; one who gets none asks again by himself. */
async function giveReceipt(
  writer: Writer,
  { changeId, replyTo, receipt }: ChangeRequest,
  isKept: boolean,
): Promise<void> {
  // One that hands over would never be done with turning others away.
  const isWanted = isKept ? receipt === true : !writer.handingOver;
  if (!isWanted || !replyTo || writer.receipts >= MOST_ANSWERS) return;
  writer.receipts += 1;
  await tell(replyTo, { changeId, isKept });
  writer.receipts -= 1;
}

/** Who is gone needs no answer, and who is not asks again. */
async function tell(requester: string, changed: Changed | Receipt): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(requester).signal(changedSignal, changed),
  ).catch(() => undefined);
}
