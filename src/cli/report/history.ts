/** The history of a run, and of the runs that it continues, as plain data. Times are milliseconds since 1970. */
import { type Client } from '@temporalio/client';
import { type temporal as proto } from '@temporalio/proto';
import { searchAttributes } from '../../contract/searchAttributes';
import { decodeArrayFromPayloads, optionalTsToMs } from '../../runs/sdkInternals';
import { GRPC, grpcCode, retryUnavailable } from '../../runs/grpc';

type Event = proto.api.history.v1.IHistoryEvent;
type Attributes = proto.api.common.v1.ISearchAttributes | null | undefined;
type Payloads = proto.api.common.v1.IPayload[] | null | undefined;

export interface Span {
  from: number;
  /** Null while it lasts. */
  to: number | null;
}

export interface Activity extends Span {
  type: string;
  /** Undefined where it is not read: see {@link POLLS}. */
  input: unknown;
  result: unknown;
  error: string | null;
}

/** What somebody sent to the run. */
export interface Message {
  kind: 'signal' | 'update' | 'cancel' | 'terminate';
  name: string;
  at: number;
  argument: unknown;
  /** Why the run did not do it. */
  refused: string | null;
}

export interface RunHistory {
  workflowId: string;
  /** Whether the server still has all runs that it continues. */
  isWhole: boolean;
  startedAt: number;
  endedAt: number | null;
  input: unknown;
  result: unknown;
  stages: { stage: string; at: number }[];
  activities: Activity[];
  messages: Message[];
  /** Workflow ids. */
  children: string[];
}

/** Read for their times only: there may be thousands, and what they found is in the result of the run. */
export const POLLS: ReadonlySet<string> = new Set(['getTask', 'readRecord', 'downloadSubtitles']);

/** A job that is overdue for a week has three. */
const MOST_RUNS = 20;

/** `runId` is the latest run of the id. */
export async function readHistory(
  temporal: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<RunHistory> {
  const runs: Event[][] = [];
  let next: string | null | undefined = runId;
  while (next && runs.length < MOST_RUNS) {
    const events = await eventsOf(temporal, workflowId, next);
    // The runs before the latest one may be past retention.
    if (!events) break;
    runs.unshift(events);
    next = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  }
  const history: RunHistory = {
    ...{ workflowId, isWhole: !next, startedAt: timeOf(runs[0]?.[0]), endedAt: null },
    ...{ input: undefined, result: undefined },
    ...{ stages: [], activities: [], messages: [], children: [] },
  };
  for (const events of runs) await addRun(history, events, decoderOf(temporal));
  return history;
}

async function eventsOf(temporal: Client, workflowId: string, runId: string): Promise<Event[] | undefined> {
  try {
    const { events } = await retryUnavailable(() =>
      temporal.workflow.getHandle(workflowId, runId).fetchHistory(),
    );
    return events ?? [];
  } catch (error) {
    if (grpcCode(error) === GRPC.notFound) return undefined;
    throw error;
  }
}

/** The first value; undefined where this client cannot read it. */
type Decode = (payloads: Payloads) => Promise<unknown>;

function decoderOf(temporal: Client): Decode {
  return async (payloads) => {
    try {
      const first = (payloads ?? []).slice(0, 1);
      return (await decodeArrayFromPayloads(temporal.options.loadedDataConverter, first))[0];
    } catch {
      return undefined;
    }
  };
}

const END = /^workflowExecution(Completed|Failed|Canceled|Terminated|TimedOut)EventAttributes$/;

async function addRun(history: RunHistory, events: Event[], decode: Decode): Promise<void> {
  const activities = new Map<string, Activity>();
  const messages = new Map<string, Message>();
  for (const event of events) {
    const [at, id] = [timeOf(event), String(event.eventId)];
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) history.input ??= await decode(started.input?.payloads);
    addStage(history, at, (started ?? event.upsertWorkflowSearchAttributesEventAttributes)?.searchAttributes);

    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const type = scheduled.activityType?.name ?? '';
      const input = POLLS.has(type) ? undefined : await decode(scheduled.input?.payloads);
      const activity = { type, from: at, to: null, input, result: undefined, error: null };
      activities.set(id, activity);
      history.activities.push(activity);
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const failed =
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    const activity = activities.get(String((completed ?? failed)?.scheduledEventId));
    if (activity) {
      activity.to = at;
      const failure = failed && 'failure' in failed ? failed.failure : null;
      if (failed) activity.error = failure?.message ?? 'it was cancelled';
      else if (!POLLS.has(activity.type)) activity.result = await decode(completed?.result?.payloads);
    }

    const message = await messageIn(event, decode);
    if (message) {
      const one = { ...message, at, refused: null };
      messages.set(id, one);
      history.messages.push(one);
    }
    const answered = event.workflowExecutionUpdateCompletedEventAttributes;
    const failure = answered?.outcome?.failure;
    const refused = messages.get(String(answered?.acceptedEventId));
    if (failure && refused) refused.refused = failure.message ?? 'refused';
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
    if (child && !history.children.includes(child)) history.children.push(child);
    const result = event.workflowExecutionCompletedEventAttributes?.result;
    if (result) history.result = await decode(result.payloads);
    if (Object.keys(event).some((name) => END.test(name))) history.endedAt = at;
  }
}

async function messageIn(event: Event, decode: Decode): Promise<Omit<Message, 'at' | 'refused'> | undefined> {
  const signal = event.workflowExecutionSignaledEventAttributes;
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
  const cancelled = event.workflowExecutionCancelRequestedEventAttributes;
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (signal)
    return { kind: 'signal', name: signal.signalName ?? '', argument: await decode(signal.input?.payloads) };
  if (update)
    return { kind: 'update', name: update.name ?? '', argument: await decode(update.args?.payloads) };
  if (cancelled) return { kind: 'cancel', name: cancelled.cause ?? '', argument: null };
  if (terminated) return { kind: 'terminate', name: terminated.reason ?? '', argument: null };
  return undefined;
}

/** Lists have the stage of a run as a search attribute: each change of it is an event. */
function addStage({ stages }: RunHistory, at: number, attributes: Attributes): void {
  const data = attributes?.indexedFields?.[searchAttributes.stage.name]?.data;
  if (!data?.length) return;
  const stage: unknown = JSON.parse(Buffer.from(data).toString());
  if (typeof stage === 'string' && stages.at(-1)?.stage !== stage) stages.push({ stage, at });
}

function timeOf(event: Event | undefined): number {
  return optionalTsToMs(event?.eventTime) ?? 0;
}
