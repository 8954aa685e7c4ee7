/** The queue of a writer: which changes wait for which project, and what one activity writes next. */
import { log } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import {
  type ChangeOutcome,
  type ChangeRequest,
  type ProjectWriterInput,
  type ProjectWriterState,
  type QueuedChange,
  type QueuedProject,
  type WriteOrder,
  type WriteReport,
  type WriterProgress,
} from '../../contract';
import { isObject, validateChange, validateRequest } from '../../contract/changes';
import { isWorkflowId, projectName, shardOf } from '../../contract/ids';
import { PendingReplies, SeenChanges } from './outcomes';
import { forgetTrouble, isDeniedTooLong, keepTrouble, shortened } from './trouble';

/** The state of a run must fit into the 2 MB of a continue-as-new, together with the seen changes. */
const MOST_BYTES = 1_000_000;
/** Of one project that has a change already: a project that hangs must leave room for the others of its shard. */
const MOST_BYTES_OF_PROJECT = MOST_BYTES / 4;
/** Reserved for small changes: a cancelled run stays open until the writer has its task id. */
const [RESERVED_BYTES, LARGEST_SMALL_BYTES] = [100_000, 2_000];

/** Of one activity; a larger change goes alone. */
const [MOST_PROJECTS, LARGEST_GROUP_BYTES] = [50, 512 * 1024];
const [MOST_ACTIVITIES, MOST_SLOW_ACTIVITIES] = [4, 2];
/** Of one PATCH. */
const MOST_CHANGES = 200;

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
  readonly replies: PendingReplies;
  readonly #seen: SeenChanges;
  readonly #projects = new Map<string, Entry>();
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;
  #applied: number;
  #refused: number;
  /** Activities that are running. */
  running = 0;
  /** The run is about to continue as new: no activity starts, and Updates end and ask the next run. */
  isContinuing = false;

  constructor(
    readonly input: ProjectWriterInput,
    readonly authGraceMs: number,
  ) {
    const { projects = [], seen = [], replies = [], applied = 0, refused = 0 } = input.carried ?? {};
    this.#seen = new SeenChanges(seen);
    this.replies = new PendingReplies(replies);
    [this.#applied, this.#refused] = [applied, refused];
    for (const { changes, ...project } of projects) {
      const entry: Entry = { ...project, changes: [], bytes: 0, isBusy: false };
      this.#projects.set(projectName(project.project), entry);
      for (const change of changes) this.#add(entry, change);
    }
  }

  /** Takes changes that came by signal. Anybody can send a signal, so they may be malformed. */
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
    if (typeof changeId === 'string') this.replies.add(replyTo, changeId, refusal(error));
  }

  /** Problems of a request, apart from its change. */
  validate(request: unknown): string[] {
    const problems = validateRequest(request);
    if (problems.length > 0) return problems;
    const { shard } = this.input;
    const own = shardOf((request as ChangeRequest).project);
    return own === shard
      ? []
      : [`project: belongs to shard ${own}, and this is the writer of shard ${shard}`];
  }

  /** Queues a change, or answers at once. */
  take(request: ChangeRequest, replyTo?: string): void {
    const { project, changeId, change, space } = request;
    const outcome = this.outcomeOf(request);
    const waiting = this.#waiting.get(nameOf(request));
    if (outcome) this.replies.add(replyTo, changeId, outcome);
    else if (waiting) waiting.change.replyTo ??= replyTo;
    else if (change === undefined) this.replies.for(replyTo).unknown.push(changeId);
    else if (!this.hasRoomFor(request)) this.replies.for(replyTo).noRoom.push(changeId);
    else {
      const entry = this.#entryOf(project);
      const taken = { changeId, change, space: space ?? undefined, replyTo };
      const problems = validateChange(change);
      if (problems.length === 0) this.#add(entry, taken);
      else this.#end(entry, taken, refusal(problems.join('; ')));
      this.#forgetIfDone(entry);
    }
  }

  hasRoomFor(request: ChangeRequest): boolean {
    if (this.isWaiting(request) || this.outcomeOf(request)) return true;
    const bytes = bytesOf(request.change);
    const room = bytes <= LARGEST_SMALL_BYTES ? MOST_BYTES : MOST_BYTES - RESERVED_BYTES;
    const ofProject = this.#projects.get(projectName(request.project))?.bytes ?? 0;
    return this.#bytes + bytes <= room && (ofProject === 0 || ofProject + bytes <= MOST_BYTES_OF_PROJECT);
  }

  isWaiting(request: ChangeRequest): boolean {
    return this.#waiting.has(nameOf(request));
  }

  /** Of a change that was settled within the last hour. */
  outcomeOf(request: ChangeRequest): ChangeOutcome | undefined {
    return this.#seen.outcomeOf(nameOf(request));
  }

  /** Whether no change waits and nobody waits for an answer. */
  isIdle(): boolean {
    return this.#waiting.size === 0 && this.running === 0 && this.replies.count === 0;
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
    const pauses = [...this.#projects.values()].flatMap(({ isBusy, notBefore }) => {
      const ms = isBusy || notBefore === undefined ? 0 : Date.parse(notBefore) - Date.now();
      return ms > 0 ? [ms] : [];
    });
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
    for (const entry of entries.slice(0, MOST_PROJECTS)) {
      const { project, changes } = entry;
      const taken: QueuedChange[] = [];
      for (const change of changes.slice(0, MOST_CHANGES)) {
        const size = this.#waiting.get(nameOf({ project, ...change }))?.bytes ?? 0;
        // Changes under another space need another PATCH.
        if (change.space !== changes[0]?.space || (bytes > 0 && bytes + size > LARGEST_GROUP_BYTES)) break;
        bytes += size;
        taken.push(change);
      }
      if (taken.length > 0) group.push({ entry, changes: taken });
    }
    return group;
  }

  orderOf(group: Group): WriteOrder {
    return {
      organization: this.input.organization,
      projects: group.map(({ entry, changes }) => ({
        project: entry.project,
        space: changes[0]?.space,
        changes: changes.map(({ changeId, change }) => ({ changeId, change })),
      })),
    };
  }

  /** Records what an activity did. Gives the projects that have trouble. */
  settle(group: Group, reports: WriteReport[]): QueuedProject[] {
    this.running -= 1;
    for (const [index, { entry, changes }] of group.entries()) {
      entry.isBusy = false;
      const { applied, refused, trouble } = reports[index] ?? NOT_WRITTEN;
      const outcomes = new Map<string, ChangeOutcome>([
        ...applied.map((changeId) => [changeId, { ok: true }] as const),
        ...refused.map(({ changeId, error }) => [changeId, refusal(error)] as const),
      ]);
      const left = changes.filter((change) => {
        const outcome = outcomes.get(change.changeId);
        if (outcome) this.#end(entry, change, outcome);
        return !outcome;
      });
      const isRefused = trouble && isDeniedTooLong(entry, trouble, this.authGraceMs);
      if (isRefused) for (const change of left) this.#end(entry, change, refusal(trouble.error));
      if (trouble && !isRefused) keepTrouble(entry, trouble);
      else forgetTrouble(entry);
      this.#forgetIfDone(entry);
    }
    return group.flatMap(({ entry }) => (entry.lastError === undefined ? [] : [entry]));
  }

  /** Settles a change: its outcome is kept for an hour, and signalled to the run that asked for it. */
  #end(entry: Entry, change: QueuedChange, outcome: ChangeOutcome): void {
    const { changeId, replyTo } = change;
    const name = nameOf({ project: entry.project, changeId });
    const bytes = this.#waiting.get(name)?.bytes;
    if (bytes !== undefined) {
      this.#waiting.delete(name);
      entry.changes.splice(entry.changes.indexOf(change), 1);
      entry.bytes -= bytes;
      this.#bytes -= bytes;
    }
    this.#seen.add(name, outcome);
    this.replies.add(replyTo, changeId, outcome);
    if (outcome.ok) this.#applied += 1;
    else {
      this.#refused += 1;
      // Logged, because the run that asked for it may be gone.
      log.warn('the project did not take a change', { changeId, error: outcome.error });
    }
  }

  #entryOf({ resourcetype, id }: ChangeRequest['project']): Entry {
    const project = { resourcetype, id };
    const known = this.#projects.get(projectName(project));
    if (known) return known;
    const since = new Date().toISOString();
    const entry: Entry = { project, since, changes: [], failures: 0, bytes: 0, isBusy: false };
    this.#projects.set(projectName(project), entry);
    return entry;
  }

  #forgetIfDone({ project, changes }: Entry): void {
    if (changes.length === 0) this.#projects.delete(projectName(project));
  }

  #add(entry: Entry, change: QueuedChange): void {
    const bytes = bytesOf(change.change);
    entry.changes.push(change);
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#waiting.set(nameOf({ project: entry.project, ...change }), { change, entry, bytes });
  }

  /** For the run that continues this one. */
  state(): WriterProgress {
    return {
      projects: [...this.#projects.values()].map(({ bytes, isBusy, ...project }) => project),
      seen: this.#seen.state(),
      replies: this.replies.state(),
      applied: this.#applied,
      refused: this.#refused,
    };
  }

  describe(): ProjectWriterState {
    const { organization, shard } = this.input;
    const projects = [...this.#projects.values()].map(
      ({ project, since, notBefore, lastError, changes }) => ({
        ...{ project, since, notBefore, lastError },
        queued: changes.map(({ changeId }) => changeId),
      }),
    );
    return { organization, shard, projects, applied: this.#applied, refused: this.#refused };
  }
}

/** What makes it the same change. */
function nameOf({ project, changeId }: Pick<ChangeRequest, 'project' | 'changeId'>): string {
  return `${projectName(project)} ${changeId}`;
}

const NOT_WRITTEN: WriteReport = { applied: [], refused: [], trouble: { error: 'it was not written' } };

function refusal(error: string): ChangeOutcome {
  return { ok: false, error: shortened(error) };
}
