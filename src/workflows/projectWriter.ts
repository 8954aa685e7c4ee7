import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import {
  changedSignal,
  type ChangeRequest,
  changesSignal,
  changeUpdate,
  DEFAULT_SUBMIT,
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  LONGEST_CALL_MS,
  LONGEST_WRITE_MS,
  type ProjectWriterInput,
  projectWriterStateQuery,
  type SegueActivities,
  type UpdateOutcome,
  type WriteNotes,
  type WriteReport,
} from '../contract';
import { isRecord } from '../api/json';
import { DURATION_FORM, parseDuration } from '../contract/durations';
import { projectWriterId, writeTaskQueue } from '../contract/ids';
import { onSignal } from './lib/listeners';
import { validateCarried } from './lib/refuse';
import { lines } from './steps/visibility';
import { type WriteGroup, Writer } from './writer/queue';

/** For as long, settled changes are known: they are in this run. */
const IDLE_MS = 3_600_000;

/** The server suggests it at about 4,000 events. A busy worker that replays all writers would need longer than a task may. */
const MOST_EVENTS = 500;

/** A run has at most ten Updates in flight, so none of them waits long for a project that hangs. */
const LONGEST_UPDATE = '10s';

/** The SDK limits how many signals a run sends at once. */
const MOST_REPLIES = 500;

/** The one run that changes the projects of a shard: it queues the changes of all runs, writes them and answers. */
export async function projectWriter(input: ProjectWriterInput): Promise<void> {
  const writer = new Writer(input, checkWriterInput(input));
  handleRequests(writer);
  const idle: IdleTime = { since: 0, isCounting: false };
  for (;;) {
    // A cancelled writer still writes its queue: a run that is gone would not ask again.
    await CancellationScope.nonCancellable(() => writeQueued(writer));
    if (!writer.isContinuing) {
      idle.since = Date.now();
      if (!idle.isCounting) void CancellationScope.nonCancellable(() => countIdleTime(idle));
      await condition(() => !writer.isIdle || !idle.isCounting);
      if (!writer.isIdle) continue;
    }
    await CancellationScope.nonCancellable(() =>
      condition(() => allHandlersFinished() || (!writer.isContinuing && !writer.isIdle)),
    );
    // Nothing is awaited from here to the end of the run: a change that arrived in between would be lost.
    if (writer.isContinuing) await continueAsNew<typeof projectWriter>({ ...input, carried: writer.state() });
    if (writer.isIdle) return;
  }
}

interface IdleTime {
  since: number;
  isCounting: boolean;
}

/** Until nothing came for an hour. One timer serves many changes, because each timer is a billed action. */
async function countIdleTime(idle: IdleTime): Promise<void> {
  idle.isCounting = true;
  for (let leftMs = IDLE_MS; leftMs > 0; leftMs = idle.since + IDLE_MS - Date.now())
    await sleep(leftMs, { summary: 'until the writer ends, if nothing comes' });
  idle.isCounting = false;
}

/** Writes until nothing waits, or until it is time to continue as new. */
async function writeQueued(writer: Writer): Promise<void> {
  const isDone = (): boolean => (writer.isContinuing ? writer.running === 0 : writer.isIdle);
  for (;;) {
    for (let group = writer.startGroup(); group; group = writer.startGroup()) void write(writer, group);
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    writer.isContinuing ||= continueAsNewSuggested || historyLength > MOST_EVENTS;
    showDetails(writer);
    await sendReplies(writer);
    if (isDone() && writer.replies.count === 0) return;
    const { running } = writer;
    const wakeAt = writer.wakeAt();
    // A change that comes during the wait may have to be written sooner.
    const hasWork = (): boolean =>
      writer.replies.count > 0 ||
      writer.hasReady ||
      writer.running < running ||
      isDone() ||
      writer.wakeAt() < wakeAt;
    if (wakeAt === Infinity) await condition(hasWork);
    else await condition(hasWork, wakeAt - Date.now(), { summary: 'until a project can be written again' });
  }
}

/** A write is never cut short: the next run must not write beside it. */
async function write(writer: Writer, group: WriteGroup): Promise<void> {
  const { writeProjects } = proxyActivities<SegueActivities>({
    summary: `reads ${group.members.length} projects, applies what is queued, and writes each with one PATCH`,
    taskQueue: writeTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: LONGEST_WRITE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    // The writer retries itself, each project by its own backoff.
    retry: { maximumAttempts: 1 },
  });
  try {
    writer.settle(group, await writeProjects(writer.orderOf(group)));
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    writer.settle(group, failedReports(group, error));
  }
}

/** The last heartbeat of a dead worker says which PATCHes without an ETag may still arrive, and for how long. */
function failedReports({ members }: WriteGroup, { cause, message }: ActivityFailure): WriteReport[] {
  const notes =
    cause instanceof TimeoutFailure ? ((cause.lastHeartbeatDetails ?? {}) as WriteNotes) : undefined;
  // A person failed the activity, which may still be running.
  const unknown = LONGEST_WRITE_MS + LONGEST_CALL_MS;
  const error = cause?.message ?? message;
  return members.map((_member, index) => ({
    ...{ applied: [], refused: [] },
    trouble: { error, unsettledMs: notes ? notes[index] : unknown },
  }));
}

/** One signal for each run. It never fails: a run that missed the answer asks again. */
async function sendReplies({ replies }: Writer): Promise<void> {
  await Promise.all(
    replies.take(MOST_REPLIES).map(({ replyTo, reply }) =>
      getExternalWorkflowHandle(replyTo)
        .signal(changedSignal, reply)
        .catch(() => undefined),
    ),
  );
}

function handleRequests(writer: Writer): void {
  setHandler(projectWriterStateQuery, (project) => writer.describe(project), {
    description:
      'Which changes wait for each project, or for one { resourcetype, id }, and its trouble; how many were applied and refused.',
  });
  onSignal(
    changesSignal,
    'Asks for changes: { requests: [{ project, changeId, change }], replyTo }. The outcomes are signalled to replyTo.',
    (asked) => {
      writer.receive(asked);
    },
  );
  setHandler(changeUpdate, (request) => takeAndWait(writer, request), {
    description:
      'Asks for a change, { project, changeId, change }, and waits 10 s for its outcome. Ask again without the change.',
    validator: (request: ChangeRequest) => {
      const problems = writer.validate(request);
      if (problems.length === 0) problems.push(...writer.validateChange(request));
      if (problems.length === 0) return;
      throw ApplicationFailure.nonRetryable(
        `The change was not taken: ${problems.join('; ')}`,
        FAILURE.badChange,
      );
    },
  });
}

async function takeAndWait(writer: Writer, request: ChangeRequest): Promise<UpdateOutcome> {
  writer.take(request);
  // An open Update keeps the run from continuing as new.
  const isEnding = (): boolean => writer.isContinuing && writer.running === 0;
  const isSettled = (): boolean => isEnding() || !writer.isWaiting(request);
  await CancellationScope.nonCancellable(() => condition(isSettled, LONGEST_UPDATE));
  return writer.outcomeOf(request) ?? (writer.isWaiting(request) ? 'waiting' : 'unknown');
}

const MOST_SHOWN = 20;

function showDetails(writer: Writer): void {
  const { organization, shard, projects, waiting, applied, refused } = writer.describe(undefined, MOST_SHOWN);
  const rows = projects.map(({ project, queued, trouble }) => {
    const reason = trouble ? `; last trouble, since ${trouble.since}: ${trouble.lastError}` : '';
    return `- ${project.resourcetype} ${project.id}: ${queued.length} waiting${reason}`;
  });
  setCurrentDetails(
    lines(
      `Writes the projects of shard ${shard} of workspace ${organization}.`,
      `Changes wait for ${waiting} projects; ${applied} applied, ${refused} refused.`,
      rows.join('\n'),
    ),
  );
}

/** Gives the grace time for denied access. Fails a writer with a wrong id, which would write beside the right one. */
function checkWriterInput(input: ProjectWriterInput): number {
  const { organization, shard, authGrace } = (isRecord(input) ? input : {}) as Partial<ProjectWriterInput>;
  const problems = validateCarried(isRecord(input) ? input : {});
  const grace = parseDuration(authGrace ?? DEFAULT_SUBMIT.authGrace);
  if (grace === undefined) problems.push(`authGrace: must be ${DURATION_FORM}`);
  if (problems.length > 0 || grace === undefined)
    throw ApplicationFailure.nonRetryable(
      `The writer was not started: ${problems.join('; ')}`,
      FAILURE.badInput,
    );

  const id = projectWriterId(String(organization), Number(shard));
  const { workflowId } = workflowInfo();
  if (workflowId === id) return grace;
  throw ApplicationFailure.nonRetryable(
    `The writer was not started: its workflow id is ${workflowId}, but its input gives ${id}`,
    FAILURE.unsafeStart,
  );
}
