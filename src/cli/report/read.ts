/** All that Temporal keeps of a job, a campaign or a batch, as one object for a page. */
import { type Client } from '@temporalio/client';
import { isRecord } from '../../api/json';
import {
  type BatchInput,
  type ItemCounts,
  type Notification,
  pollNowUpdate,
  type SubmitOutcome,
} from '../../contract';
import { batchPartWorkflowId, keyIn } from '../../contract/ids';
import { inParallel } from '../../platform/parallel';
import { findOwnRun } from '../../runs/find';
import { entryOf, type JobReport } from '../../client/report';
import { type Run } from '../../client/run';
import { type Activity, type Message, POLLS, readHistory, type RunHistory, type Span } from './history';
import { batchFigures, changesOf, notificationsOf, subtitlesOf } from './outcomes';
import { loadPictures, type Picture, type PictureOptions } from './pictures';
import { redact } from './redact';

/** Times are milliseconds since 1970. It has no credential; addresses are without their query. */
export interface RunReport extends Pick<
  JobReport,
  'workflowId' | 'key' | 'status' | 'stage' | 'taskId' | 'error'
> {
  madeAt: number;
  startedAt: number;
  endedAt: number | null;
  /** The run itself first, then its jobs or partitions. */
  timeline: TimelineRow[];
  pictures: Picture[];
  subtitles: { of: string; text: string }[];
  changes: { at: number; project: string; steps: string; outcome: string }[];
  notifications: ({ at: number; outcome: string } & Pick<Notification, 'category' | 'title' | 'message'>)[];
  /** Of a batch. */
  batch: BatchFigures | null;
  /** What is left out, and why. */
  notes: string[];
}

export interface TimelineRow extends Span {
  label: string;
  status: string;
  stages: (Span & { label: string })[];
  /** Calls other than polls. */
  work: (Span & { label: string; error: string | null })[];
  polls: number[];
  marks: { at: number; kind: 'hold' | 'decision'; label: string }[];
}

export interface BatchFigures {
  items: number;
  counts: ItemCounts | null;
  /** How many of its partitions were read, from 0 to 1. */
  share: number;
  /** When tasks were seen to be over, and how long that was after their submission. */
  ends: number[];
  latencies: number[];
}

const MOST_ROWS = 60;
const MOST_LISTED = 100;
const AT_ONCE = 5;

export interface Part {
  label: string;
  status: string;
  history: RunHistory;
}

export async function readReport(temporal: Client, run: Run, options: PictureOptions): Promise<RunReport> {
  const { workflowId, key, taskId, error, info, ...standing } = await run.report();
  const madeAt = Date.now();
  const notes: string[] = [];
  const whole = await readHistory(temporal, run);
  // Without a worker the stage is known from the history alone.
  const stage = standing.stage ?? whole.stages.at(-1)?.stage ?? null;
  const status = standing.status === 'running' && stage === 'held' ? 'held' : standing.status;
  const parts = [{ label: workflowId, status, history: whole }, ...(await partsOf(temporal, whole, notes))];
  if (parts.some(({ history }) => !history.isWhole))
    notes.push('Temporal no longer keeps the beginning of some histories, or they are too long to show.');
  const limited = <Item>(items: Item[], what: string, most = MOST_LISTED): Item[] => {
    if (items.length > most) notes.push(`Only ${most} of ${items.length} ${what} are shown.`);
    return items.slice(0, most);
  };
  const batch = workflowId.startsWith('batch/') ? batchFigures(whole, parts, info) : null;
  if (batch?.counts === null) notes.push('No worker answers for the batch, so its counts are not known.');
  const { pictures, left } = await loadPictures(parts, options);
  if (left > 0) notes.push(`${left} more pictures are left out.`);
  const report: RunReport = {
    ...{ workflowId, key, status, stage, taskId, error, madeAt },
    ...{ startedAt: whole.startedAt, endedAt: whole.endedAt },
    timeline: parts.map((part) => rowOf(part, madeAt)),
    pictures: [],
    subtitles: parts.flatMap(subtitlesOf),
    changes: limited(parts.flatMap(changesOf).sort(byTime), 'project changes'),
    notifications: limited(parts.flatMap(notificationsOf).sort(byTime), 'notifications'),
    ...{ batch, notes },
  };
  const shown = pictures.map((picture) => ({ ...redact(picture), source: picture.source }));
  return { ...redact(report), pictures: shown };
}

function byTime(one: { at: number }, other: { at: number }): number {
  return one.at - other.at;
}

/** The jobs of a campaign; the partitions of a batch, and the jobs that some of their items became. */
async function partsOf(temporal: Client, whole: RunHistory, notes: string[]): Promise<Part[]> {
  const { workflowId, children, input } = whole;
  const key = keyIn(workflowId);
  const read = async (ids: string[], what: string): Promise<Part[]> => {
    // Evenly spaced, so that figures of a large batch are about all of it.
    const chosen = ids.filter((_id, index) => (index * MOST_ROWS) % ids.length < MOST_ROWS);
    const some = ids.length > MOST_ROWS ? chosen.slice(0, MOST_ROWS) : ids;
    if (some.length < ids.length) notes.push(`Only ${some.length} of ${ids.length} ${what} are shown.`);
    const found = await inParallel(AT_ONCE, some, async (id): Promise<Part[]> => {
      const run = await findOwnRun(temporal, id);
      if (!run) {
        notes.push(`${id} is not started yet, or Temporal no longer keeps it.`);
        return [];
      }
      const label = keyIn(id).startsWith(`${key}~`) ? keyIn(id).slice(key.length + 1) : id;
      return [{ label, status: entryOf(run).status, history: await readHistory(temporal, run) }];
    });
    return found.flat();
  };
  if (!workflowId.startsWith('batch/')) return read(children, 'jobs');
  const { manifest } = (input ?? {}) as Partial<BatchInput>;
  const ids = (manifest?.partitions ?? []).map((_facts, index) => batchPartWorkflowId(key, index + 1));
  const partitions = (await read(ids, 'partitions')).map((part) => ({
    ...part,
    label: `partition ${part.label}`,
  }));
  const held = partitions.flatMap(({ history }) => history.children);
  return [...partitions, ...(await read(held, 'items that became jobs'))];
}

/** In these stages a person must decide. */
const HOLDS = new Set(['held', 'overdue', 'attention', 'approving']);

function rowOf({ label, status, history }: Part, now: number): TimelineRow {
  const { startedAt: from, endedAt: to, activities, messages } = history;
  const stages = history.stages.map(({ stage, at }, index) => ({
    label: stage,
    from: at,
    to: history.stages[index + 1]?.at ?? to,
  }));
  const isPoll = ({ type }: Activity): boolean => POLLS.has(type) || type === 'pollTasks';
  const holds = stages.filter((stage) => HOLDS.has(stage.label));
  return {
    ...{ label, status, from: from || now, to },
    // A partition lists no stage.
    stages: stages.length > 0 ? stages : [{ label: status, from, to }],
    work: activities
      .filter((one) => !isPoll(one))
      .map(({ type: label, from, to, error }) => ({ label, from, to, error })),
    polls: activities.filter(isPoll).map((poll) => poll.from),
    marks: [
      ...holds.map((stage) => ({
        at: stage.from,
        kind: 'hold' as const,
        label: [stage.label, whyHeld(activities, stage.from)].filter(Boolean).join(': '),
      })),
      ...messages.flatMap(decisionIn),
    ].sort(byTime),
  };
}

/** Of a submission without a known outcome. */
function whyHeld(activities: readonly Activity[], at: number): string {
  const last = activities.findLast(({ type, to }) => type === 'submit' && to !== null && to <= at);
  const outcome = last?.result as SubmitOutcome | undefined;
  if (outcome?.outcome === 'unknown') return outcome.reason;
  return last?.error ?? '';
}

/** Signals are between runs. */
function decisionIn({ kind, name, at, argument, refused }: Message): TimelineRow['marks'] {
  if (kind === 'signal' || name === pollNowUpdate.name) return [];
  if (kind !== 'update') return [{ at, kind: 'decision', label: `${kind}${name && `: ${name}`}` }];
  const said = isRecord(argument) ? argument : {};
  const { action, decision, taskId, jobs, concurrency, by, reason, comment } = said;
  const what = [action, decision, said.name, taskId, jobs, concurrency].flatMap(words).join(' ');
  const why = [reason, comment].flatMap(words).join(' ');
  const label = `${[name, what, ...words(by).map((who) => `by ${who}`)].filter(Boolean).join(' ')}${why && `: ${why}`}${refused === null ? '' : ` (refused: ${refused})`}`;
  return [{ at, kind: 'decision', label }];
}

function words(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(words);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}
