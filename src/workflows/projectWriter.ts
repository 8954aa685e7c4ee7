import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  log,
  metricMeter,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import {
  changedSignal,
  type ChangeOutcome,
  type ChangeRequest,
  changesSignal,
  changeUpdate,
  DEFAULT_SUBMIT,
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  LONGEST_CALL_MS,
  type ProjectWriterInput,
  projectWriterStateQuery,
  type QueuedProject,
  RECORDING_MARGIN_MS,
  type SegueActivities,
  type WriteNotes,
  type WriteReport,
} from '../contract';
import { isId } from '../api/scope';
import { isObject, validateChange } from '../contract/changes';
import { DURATION_FORM, parseDuration } from '../contract/durations';
import { projectWriterId, SHARDS, writeTaskQueue } from '../contract/ids';
import { validateCarried } from './steps/job';
import { lines } from './steps/visibility';
import { type Group, Writer } from './writer/queue';

/** The seen changes are kept for an hour, and so is the run that has them. */
const IDLE_AFTER = '1h';
/** A run has at most ten Updates in flight, so none of them waits long for a project that hangs. */
const LONGEST_UPDATE = '10s';
/** The SDK limits how many signals a run sends at once. */
const MOST_REPLIES = 500;
const ALARM_AFTER_MS = 15 * 60_000;

/** The one run that changes the projects of a shard: it queues the changes of all runs, writes them, and answers. */
export async function projectWriter(input: ProjectWriterInput): Promise<void> {
  const writer = new Writer(input, checkInput(input));
  handleRequests(writer);
  for (;;) {
    // Not cancellable: a cancelled writer still writes its queue, since a run that is gone would not ask again.
    await CancellationScope.nonCancellable(() => writeAll(writer));
    if (!writer.isContinuing && (await condition(() => !writer.isIdle(), IDLE_AFTER))) continue;
    await CancellationScope.nonCancellable(() =>
      condition(() => allHandlersFinished() || (!writer.isContinuing && !writer.isIdle())),
    );
    // Nothing is awaited from here to the end of the run: a change that arrived in between would be lost.
    if (writer.isContinuing) await continueAsNew<typeof projectWriter>({ ...input, carried: writer.state() });
    if (writer.isIdle()) return;
  }
}

/** Writes until nothing waits, or until it is time to continue as new. */
async function writeAll(writer: Writer): Promise<void> {
  for (;;) {
    writer.isContinuing ||= workflowInfo().continueAsNewSuggested;
    for (let group = writer.startGroup(); group; group = writer.startGroup()) void writeGroup(writer, group);
    showDetails(writer);
    await sendReplies(writer);
    if (writer.isContinuing ? writer.running === 0 : writer.isIdle()) return;
    const hasWork = (): boolean =>
      writer.replies.count > 0 ||
      writer.isReady() ||
      (writer.running === 0 && (writer.isContinuing || writer.isIdle()));
    const pauseMs = writer.pauseMs();
    if (pauseMs === undefined) await condition(hasWork);
    else await condition(hasWork, pauseMs, { summary: 'until a project can be written again' });
  }
}

async function writeGroup(writer: Writer, group: Group): Promise<void> {
  const { writeProjects } = proxyActivities<SegueActivities>({
    summary: `reads ${group.length} projects, applies what is queued, and writes each with one PATCH`,
    taskQueue: writeTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: 2 * LONGEST_CALL_MS + 2 * RECORDING_MARGIN_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    // The writer retries itself, each project by its own backoff.
    retry: { maximumAttempts: 1 },
  });
  const reports = await writeProjects(writer.orderOf(group)).catch((error: unknown) => {
    if (!(error instanceof ActivityFailure)) throw error;
    return failedReports(group, error);
  });
  for (const project of writer.settle(group, reports)) alarmOnce(project);
}

/** The last heartbeat says which PATCHes without an ETag may still arrive. */
function failedReports(group: Group, { cause, message }: ActivityFailure): WriteReport[] {
  const notes = cause instanceof TimeoutFailure ? (cause.lastHeartbeatDetails as WriteNotes | undefined) : {};
  const error = cause?.message ?? message;
  return group.map((_project, index) => ({
    ...{ applied: [], refused: [] },
    trouble: { error, unsettledUntil: notes?.[index] },
  }));
}

/** Log and metric: whoever waits for the change shows its own delay. */
function alarmOnce(entry: QueuedProject): void {
  if (entry.isReported || Date.now() - Date.parse(entry.since) < ALARM_AFTER_MS) return;
  entry.isReported = true;
  const { project, since, lastError } = entry;
  log.error('a project cannot be written', { ...project, since, lastError, changes: entry.changes.length });
  metricMeter.createCounter('segue_alarms').add(1, { why: 'unwritten' });
}

/** One signal for each run. It never fails: a run that missed the answer asks again. */
async function sendReplies(writer: Writer): Promise<void> {
  await Promise.all(
    writer.replies.take(MOST_REPLIES).map(({ replyTo, reply }) =>
      getExternalWorkflowHandle(replyTo)
        .signal(changedSignal, reply)
        .catch(() => undefined),
    ),
  );
}

function handleRequests(writer: Writer): void {
  setHandler(projectWriterStateQuery, () => writer.describe(), {
    description:
      'Which changes wait for each project, how many were applied and refused, and the last trouble.',
  });
  setHandler(
    changesSignal,
    (requests) => {
      writer.receive(requests);
    },
    {
      description:
        'Asks for changes: { requests: [{ project, changeId, change }], replyTo }. The outcomes are signalled to replyTo.',
    },
  );
  setHandler(changeUpdate, (request) => takeAndWait(writer, request), {
    description:
      'Asks for a change, { project, changeId, change }, and waits 10 s for its outcome; null: not known yet.',
    validator: (request: ChangeRequest) => {
      const problems = writer.validate(request);
      if (problems.length === 0) problems.push(...validateChange(request.change));
      if (problems.length === 0 && !writer.hasRoomFor(request))
        problems.push('too many changes wait already; ask again later');
      if (problems.length === 0) return;
      throw ApplicationFailure.nonRetryable(
        `The change was not taken: ${problems.join('; ')}`,
        FAILURE.badChange,
      );
    },
  });
}

async function takeAndWait(writer: Writer, request: ChangeRequest): Promise<ChangeOutcome | null> {
  writer.take(request);
  await CancellationScope.nonCancellable(() =>
    condition(() => writer.isContinuing || !writer.isWaiting(request), LONGEST_UPDATE),
  );
  return writer.outcomeOf(request) ?? null;
}

const MOST_PROJECTS_SHOWN = 20;

/** The details on the page of the run. */
function showDetails(writer: Writer): void {
  const { organization, shard, projects, applied, refused } = writer.describe();
  setCurrentDetails(
    lines(
      `Writes the projects of shard ${shard} of workspace ${organization}: ${projects.length} wait, ${applied} changes applied, ${refused} refused.`,
      ...projects
        .slice(0, MOST_PROJECTS_SHOWN)
        .map(
          ({ project, queued, since, lastError }) =>
            `- ${project.resourcetype} ${project.id}: ${queued.length} changes since ${since}${lastError === undefined ? '' : `, last trouble: ${lastError}`}`,
        ),
    ),
  );
}

/** Gives the grace time for denied access. Fails a writer with a wrong id, which would write beside the right one. */
function checkInput(input: ProjectWriterInput): number {
  const { organization, shard, authGrace } = isObject(input) ? input : ({} as Partial<ProjectWriterInput>);
  const problems = validateCarried(isObject(input) ? input : {});
  if (typeof organization !== 'string' || !isId(organization)) problems.push('organization: must be an id');
  if (!Number.isInteger(shard) || Number(shard) < 0 || Number(shard) >= SHARDS)
    problems.push(`shard: must be a whole number from 0 to ${SHARDS - 1}`);
  const grace = parseDuration(authGrace ?? DEFAULT_SUBMIT.authGrace);
  if (grace === undefined) problems.push(`authGrace: must be ${DURATION_FORM}`);
  const { workflowId } = workflowInfo();
  const id = problems.length > 0 ? workflowId : projectWriterId(String(organization), Number(shard));
  if (workflowId !== id) problems.push(`its workflow id is ${workflowId}, but its input gives ${id}`);
  if (problems.length === 0 && grace !== undefined) return grace;
  throw ApplicationFailure.nonRetryable(
    `The writer was not started: ${problems.join('; ')}`,
    FAILURE.badInput,
  );
}
