/** The queue of a writer: which changes wait, which are settled, and who gets an answer. */
import { ApplicationFailure, log, workflowInfo } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import { isId } from '../../api/scope';
import {
  type ChangeOutcome,
  type ChangeRequest,
  DEFAULT_SUBMIT,
  FAILURE,
  isAccessDenied,
  type ProjectWriterInput,
  type ProjectWriterState,
  type QueuedChange,
  type QueuedProject,
  type SeenChange,
  type WriteOrder,
  type WriteReport,
  type WriterProgress,
  type WriterReply,
} from '../../contract';
import { isObject, validateChange, validateRequest } from '../../contract/changes';
import { DURATION_FORM, parseDuration } from '../../contract/durations';
import {
  isWorkflowId,
  projectName,
  projectWriterId,
  SHARDS,
  shardOf,
  shortDigest,
} from '../../contract/ids';
import { validateCarried } from '../steps/job';

/** The state of a run must fit into the 2 MB of a continue-as-new, together with the seen changes. */
const MOST_BYTES = 1_000_000;
/** Of one project, once it has a change: a project that hangs must leave room for the others of its shard. */
const MOST_BYTES_OF_PROJECT = MOST_BYTES / 4;
/** Reserved for small changes: a cancelled run stays open until the writer has its task id. */
const [RESERVED_BYTES, LARGEST_SMALL_BYTES] = [100_000, 2_000];

/** Of one activity; a larger project or change goes alone. */
const [MOST_PROJECTS, LARGEST_GROUP_BYTES] = [50, 512 * 1024];
const [MOST_ACTIVITIES, MOST_SLOW_ACTIVITIES] = [4, 2];
/** Of one PATCH. */
const MOST_CHANGES = 200;

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, LONGEST_RETRY_AFTER_MS] = [1_000, 60_000, 3_600_000];

/** A change that is asked for again within this time is not made again. */
const SEEN_MINUTES = 60;
const MOST_SEEN = 20_000;
const LONGEST_ERROR = 400;

/** A project of the queue, while the run lasts. */
interface Entry extends QueuedProject {
  bytes: number;
  isBusy: boolean;
}

/** A change of the queue, while the run lasts. */
interface Waiting {
  change: QueuedChange;
  entry: Entry;
  bytes: number;
}

/** What one activity writes. */
export type Group = { entry: Entry; changes: QueuedChange[] }[];

export class Writer {
  readonly authGraceMs: number;
  readonly #input: ProjectWriterInput;
  readonly #projects = new Map<string, Entry>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #seen: Map<string, SeenChange>;
  #replies = new Map<string, WriterReply>();
  #bytes = 0;
  #applied: number;
  #refused: number;
  /** Activities that are running. */
  running = 0;
  /** The run is about to continue as new: nothing is written, and Updates end and ask the next run. */
  isContinuing = false;

  constructor(input: ProjectWriterInput) {
    this.authGraceMs = checkInput(input);
    this.#input = input;
    const { projects = [], seen = [], replies = [], applied = 0, refused = 0 } = input.carried ?? {};
    this.#seen = new Map(seen.map((change) => [change[0], change]));
    this.#replies = new Map(replies.map(({ replyTo, reply }) => [replyTo, reply]));
    [this.#applied, this.#refused] = [applied, refused];
    for (const { changes, ...project } of projects) {
      const entry: Entry = { ...project, changes: [], bytes: 0, isBusy: false };
      this.#projects.set(projectName(project.project), entry);
      for (const change of changes) this.#add(entry, change);
    }
  }

  /** Takes changes that came by signal. Anybody can send a signal, so the request may be malformed. */
  receive(asked: unknown): void {
    const { requests, replyTo } = isObject(asked) ? asked : {};
    if (!Array.isArray(requests)) return;
    const to = isWorkflowId(replyTo) ? replyTo : undefined;
    for (const request of requests as unknown[]) {
      const problems = this.validate(request);
      if (problems.length === 0) this.take(request as ChangeRequest, to);
      else this.#refuseMalformed(request, to, problems.join('; '));
    }
  }

  #refuseMalformed(request: unknown, replyTo: string | undefined, error: string): void {
    const { changeId } = isObject(request) ? request : {};
    log.warn('a change was not taken', { error });
    if (typeof changeId === 'string') this.#replyFor(replyTo).refused.push({ changeId, error: shortened(error) });
  }

  /** Problems of a request, apart from its change. */
  validate(request: unknown): string[] {
    const problems = validateRequest(request);
    if (problems.length > 0) return problems;
    const { shard } = this.#input;
    const own = shardOf((request as ChangeRequest).project);
    return own === shard ? [] : [`project: belongs to shard ${own}, and this is the writer of shard ${shard}`];
  }

  /** Queues a change, or answers for one that is settled. */
  take(request: ChangeRequest, replyTo?: string): void {
    const { project, changeId, change, space } = request;
    const outcome = this.outcomeOf(changeId);
    const waiting = this.#waiting.get(changeId);
    if (outcome) this.#reply(replyTo, changeId, outcome);
    else if (waiting) waiting.change.replyTo ??= replyTo;
    else if (change === undefined) this.#replyFor(replyTo).unknown.push(changeId);
    else if (!this.hasRoomFor(request)) this.#replyFor(replyTo).noRoom.push(changeId);
    else {
      const problems = validateChange(change);
      const taken = { changeId, change, space: space ?? undefined, replyTo };
      if (problems.length > 0) this.#end(taken, problems.join('; '));
      else this.#add(this.#entryOf(project), taken);
    }
  }

  hasRoomFor({ project, changeId, change }: ChangeRequest): boolean {
    if (this.isWaiting(changeId) || this.outcomeOf(changeId)) return true;
    const bytes = bytesOf(change);
    const room = bytes <= LARGEST_SMALL_BYTES ? MOST_BYTES : MOST_BYTES - RESERVED_BYTES;
    const ofProject = this.#projects.get(projectName(project))?.bytes ?? 0;
    return this.#bytes + bytes <= room && (ofProject === 0 || ofProject + bytes <= MOST_BYTES_OF_PROJECT);
  }

  isWaiting(changeId: string): boolean {
    return this.#waiting.has(changeId);
  }

  /** Of a change that was settled within the last hour. */
  outcomeOf(changeId: string): ChangeOutcome | undefined {
    const seen = this.#seen.get(shortDigest(changeId));
    if (!seen) return undefined;
    const [, , error] = seen;
    return error === undefined ? { ok: true } : { ok: false, error };
  }

  hasReplies(): boolean {
    return this.#replies.size > 0;
  }

  /** Outcomes to signal, one reply for each run. */
  takeReplies(most: number): [replyTo: string, reply: WriterReply][] {
    const replies = [...this.#replies].slice(0, most);
    for (const [replyTo] of replies) this.#replies.delete(replyTo);
    return replies;
  }

  /** Whether no change waits and nobody waits for an answer. */
  isIdle(): boolean {
    return this.#waiting.size === 0 && this.running === 0 && !this.hasReplies();
  }

  /** Whether an activity could start now. */
  isReady(): boolean {
    return this.#ready().length > 0;
  }

  /** The next activity's projects; they are busy until {@link settle}. */
  startGroup(): Group | undefined {
    const ready = this.#ready();
    if (ready.length === 0) return undefined;
    const group = this.#groupOf(ready);
    for (const { entry } of group) entry.isBusy = true;
    this.running += 1;
    return group;
  }

  /** How long until a project that waits can be written; undefined when none waits for a time. */
  pauseMs(): number | undefined {
    const times = [...this.#projects.values()].flatMap(({ isBusy, notBefore }) =>
      isBusy || notBefore === undefined ? [] : [Date.parse(notBefore) - Date.now()],
    );
    const pauses = times.filter((ms) => ms > 0);
    return pauses.length === 0 ? undefined : Math.min(...pauses);
  }

  /** Projects that one activity can write now. A slow project is written alone, and after all others. */
  #ready(): Entry[] {
    if (this.isContinuing || this.running >= MOST_ACTIVITIES) return [];
    const all = [...this.#projects.values()];
    const now = Date.now();
    const ready = all.filter(
      ({ isBusy, notBefore }) => !isBusy && (notBefore === undefined || Date.parse(notBefore) <= now),
    );
    const usual = ready.filter(({ isSlow }) => !isSlow);
    if (usual.length > 0) return usual;
    const slowNow = all.filter(({ isBusy, isSlow }) => isBusy && isSlow).length;
    return slowNow < MOST_SLOW_ACTIVITIES ? ready.slice(0, 1) : [];
  }

  /** As many projects as one activity takes, each with the first changes that one PATCH can take. */
  #groupOf(entries: Entry[]): Group {
    const group: Group = [];
    let bytes = 0;
    const fits = ({ changeId }: QueuedChange): boolean => {
      const isFirst = bytes === 0;
      bytes += this.#waiting.get(changeId)?.bytes ?? 0;
      return isFirst || bytes <= LARGEST_GROUP_BYTES;
    };
    for (const entry of entries.slice(0, MOST_PROJECTS)) {
      const { changes } = entry;
      // Changes under another space need another PATCH.
      const other = changes.findIndex(({ space }) => space !== changes[0]?.space);
      const first = changes.slice(0, other < 0 ? MOST_CHANGES : Math.min(other, MOST_CHANGES));
      const tooMany = first.findIndex((change) => !fits(change));
      const fitting = tooMany < 0 ? first : first.slice(0, tooMany);
      if (fitting.length > 0) group.push({ entry, changes: fitting });
      if (tooMany >= 0) break;
    }
    return group;
  }

  orderOf(group: Group): WriteOrder {
    return {
      organization: this.#input.organization,
      projects: group.map(({ entry, changes }) => ({
        project: entry.project,
        space: changes[0]?.space,
        changes: changes.map(({ changeId, change }) => ({ changeId, change })),
      })),
    };
  }

  /** Records what an activity did. Gives the projects that still have trouble. */
  settle(group: Group, reports: WriteReport[]): QueuedProject[] {
    this.running -= 1;
    return group.flatMap(({ entry, changes }, index) => {
      entry.isBusy = false;
      const { applied, refused, trouble } = reports[index] ?? NOT_WRITTEN;
      for (const changeId of applied) this.#end(this.#waiting.get(changeId)?.change);
      for (const { changeId, error } of refused) this.#end(this.#waiting.get(changeId)?.change, error);
      if (trouble) this.#keepTrouble(entry, changes, trouble);
      else forgetTrouble(entry);
      if (entry.changes.length > 0) return trouble ? [entry] : [];
      this.#projects.delete(projectName(entry.project));
      return [];
    });
  }

  /** Errors are retried for ever, but 401 and 403 only for the grace time in which keys get rotated. */
  #keepTrouble(entry: Entry, changes: QueuedChange[], trouble: NonNullable<WriteReport['trouble']>): void {
    const { error, status, retryAfterMs = 0, unsettledUntil = 0, isSlow = false } = trouble;
    const now = Date.now();
    entry.lastError = shortened(error);
    entry.deniedSince = isAccessDenied(status) ? (entry.deniedSince ?? new Date().toISOString()) : undefined;
    if (entry.deniedSince !== undefined && now - Date.parse(entry.deniedSince) >= this.authGraceMs) {
      for (const change of changes) if (this.isWaiting(change.changeId)) this.#end(change, error);
      forgetTrouble(entry);
      return;
    }
    // A project that was too slow beside others is written alone at once.
    const isNewlySlow = isSlow && !entry.isSlow;
    entry.isSlow ||= isSlow;
    if (!isNewlySlow) entry.failures += 1;
    const backoff = isNewlySlow ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (entry.failures - 1), LONGEST_PAUSE_MS);
    const pause = Math.max(backoff, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS), unsettledUntil - now);
    entry.notBefore = new Date(now + pause).toISOString();
  }

  /** Settles a change: its outcome is kept for an hour, and signalled to the run that asked for it. */
  #end(change: QueuedChange | undefined, error?: string): void {
    if (!change) return;
    const { changeId, replyTo } = change;
    this.#remove(changeId);
    const short = error === undefined ? undefined : shortened(error);
    const digest = shortDigest(changeId);
    this.#seen.set(digest, short === undefined ? [digest, minuteNow()] : [digest, minuteNow(), short]);
    this.#forgetSeen();
    // Logged, because the run that asked for it may be gone.
    if (short !== undefined) log.warn('the project did not take a change', { changeId, error: short });
    if (short === undefined) this.#applied += 1;
    else this.#refused += 1;
    this.#reply(replyTo, changeId, short === undefined ? { ok: true } : { ok: false, error: short });
  }

  #forgetSeen(): void {
    const oldest = minuteNow() - SEEN_MINUTES;
    for (const [digest, [, minute]] of this.#seen) {
      if (minute >= oldest && this.#seen.size <= MOST_SEEN) return;
      this.#seen.delete(digest);
    }
  }

  #entryOf(project: ChangeRequest['project']): Entry {
    const name = projectName(project);
    const known = this.#projects.get(name);
    if (known) return known;
    const { resourcetype, id } = project;
    const entry: Entry = {
      project: { resourcetype, id },
      since: new Date().toISOString(),
      changes: [],
      failures: 0,
      bytes: 0,
      isBusy: false,
    };
    this.#projects.set(name, entry);
    return entry;
  }

  #add(entry: Entry, change: QueuedChange): void {
    const bytes = bytesOf(change.change);
    entry.changes.push(change);
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#waiting.set(change.changeId, { change, entry, bytes });
  }

  #remove(changeId: string): void {
    const waiting = this.#waiting.get(changeId);
    if (!waiting) return;
    const { change, entry, bytes } = waiting;
    this.#waiting.delete(changeId);
    entry.changes.splice(entry.changes.indexOf(change), 1);
    entry.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #reply(replyTo: string | undefined, changeId: string, outcome: ChangeOutcome): void {
    const reply = this.#replyFor(replyTo);
    if (outcome.ok) reply.applied.push(changeId);
    else reply.refused.push({ changeId, error: outcome.error });
  }

  /** Nobody reads the reply for nobody. */
  #replyFor(replyTo: string | undefined): WriterReply {
    const known = replyTo === undefined ? undefined : this.#replies.get(replyTo);
    if (known) return known;
    const reply: WriterReply = { applied: [], refused: [], noRoom: [], unknown: [] };
    if (replyTo !== undefined) this.#replies.set(replyTo, reply);
    return reply;
  }

  /** For the run that continues this one. */
  state(): WriterProgress {
    return {
      projects: [...this.#projects.values()].map(({ bytes, isBusy, ...project }) => project),
      seen: [...this.#seen.values()],
      replies: [...this.#replies].map(([replyTo, reply]) => ({ replyTo, reply })),
      applied: this.#applied,
      refused: this.#refused,
    };
  }

  describe(): ProjectWriterState {
    const { organization, shard } = this.#input;
    const projects = [...this.#projects.values()].map(({ project, since, notBefore, lastError, changes }) => ({
      ...{ project, since, notBefore, lastError },
      queued: changes.map(({ changeId }) => changeId),
    }));
    return { organization, shard, projects, applied: this.#applied, refused: this.#refused };
  }
}

const NOT_WRITTEN: WriteReport = { applied: [], refused: [], trouble: { error: 'it was not written' } };

function forgetTrouble(entry: Entry): void {
  entry.failures = 0;
  entry.since = new Date().toISOString();
  entry.isReported = undefined;
  entry.notBefore = undefined;
  entry.deniedSince = undefined;
  entry.lastError = undefined;
  entry.isSlow = undefined;
}

function minuteNow(): number {
  return Math.floor(Date.now() / 60_000);
}

function shortened(error: string): string {
  return error.length > LONGEST_ERROR ? `${error.slice(0, LONGEST_ERROR)}…` : error;
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
  const id = projectWriterId(String(organization), Number(shard));
  if (problems.length === 0 && workflowId !== id)
    problems.push(`its workflow id is ${workflowId}, but its input gives ${id}`);
  if (problems.length === 0 && grace !== undefined) return grace;
  throw ApplicationFailure.nonRetryable(
    `The writer was not started: ${problems.join('; ')}`,
    FAILURE.badInput,
  );
}
