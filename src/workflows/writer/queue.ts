/** The queue of a writer: which changes wait for which project, and what one activity writes next. */
import { log } from '@temporalio/workflow';
import { asList, bytesOf, isRecord } from '../../api/json';
import {
  type ChangeOutcome,
  type ChangeRequest,
  type ProjectRef,
  type ProjectWriterInput,
  type ProjectWriterState,
  type QueuedChange,
  type QueuedProject,
  type WriteOrder,
  type WriteReport,
  type WriterProgress,
} from '../../contract';
import { validateChange, validateRequest } from '../../contract/changes';
import { isWorkflowId, projectName, shardOf } from '../../contract/ids';
import { PendingReplies, SeenChanges } from './outcomes';
import { keepTrouble, shortened } from './trouble';

/** Queue and seen changes together stay under the 2 MB that continue-as-new takes. */
const MOST_BYTES = 1_200_000;
/** Of a project that has a change already: one that hangs must leave room for the others of its shard. */
const MOST_PROJECT_BYTES = MOST_BYTES / 4;
/** Reserved for small changes: a cancelled run stays open until the writer has its task id. */
const [RESERVED_BYTES, LARGEST_SMALL_BYTES] = [100_000, 2_000];

/** Of one activity; a larger change goes alone. It has the time for so many slow projects only. */
const [MOST_PROJECTS, MOST_SLOW_PROJECTS, LARGEST_GROUP_BYTES] = [50, 20, 512 * 1024];
/** What is carried beside a change, and for each project with its trouble. */
const [CHANGE_BYTES, PROJECT_BYTES] = [100, 900];
const [MOST_ACTIVITIES, MOST_SLOW_ACTIVITIES] = [4, 2];
/** Changes that come so soon after the start of an activity wait for its end, and go together. */
const COLLECT_MS = 1_000;

interface Waiting {
  change: QueuedChange;
  bytes: number;
}

/** A project of the queue. One that is being written is busy, and waits with its other changes. */
interface QueueEntry extends Omit<QueuedProject, 'changes'> {
  waiting: Map<string, Waiting>;
  bytes: number;
  isBusy: boolean;
}

/** What one activity writes. */
export interface WriteGroup {
  isSlow: boolean;
  begunAt: number;
  members: { entry: QueueEntry; changes: QueuedChange[] }[];
}

export class Writer {
  readonly replies: PendingReplies;
  readonly #seen: SeenChanges;
  readonly #projects = new Map<string, QueueEntry>();
  readonly #running = new Set<WriteGroup>();
  #bytes = 0;
  #applied: number;
  #refused: number;
  /** The run is about to continue as new: its activities end, then Updates end and ask the next run. */
  isContinuing = false;

  constructor(
    readonly input: ProjectWriterInput,
    readonly authGraceMs: number,
  ) {
    const { projects = [], seen = [], replies = [], applied = 0, refused = 0 } = input.carried ?? {};
    this.#seen = new SeenChanges(seen);
    this.replies = new PendingReplies(replies);
    [this.#applied, this.#refused] = [applied, refused];
    for (const { project, changes, trouble } of projects) {
      const entry = this.#entryOf(project);
      entry.trouble = trouble;
      for (const change of changes) this.#queue(entry, change);
    }
  }

  get isIdle(): boolean {
    return this.#projects.size === 0 && this.replies.count === 0;
  }

  /** How many activities write at the moment. */
  get running(): number {
    return this.#running.size;
  }

  get hasReady(): boolean {
    return this.#ready().length > 0;
  }

  /** Takes changes that came by signal. Anybody can send a signal, so they may be malformed. */
  receive(asked: unknown): void {
    const { requests, replyTo } = isRecord(asked) ? asked : {};
    const to = isWorkflowId(replyTo) ? replyTo : undefined;
    for (const request of asList(requests)) {
      const error = this.validate(request).join('; ');
      if (error === '') this.take(request as ChangeRequest, to);
      else {
        log.warn('a change was not taken', { error });
        const { changeId } = isRecord(request) ? request : {};
        if (typeof changeId === 'string') this.replies.add(to, changeId, refusal(error));
      }
    }
  }

  /** Problems of a request, apart from its change. */
  validate(request: unknown): string[] {
    const problems = validateRequest(request);
    if (problems.length > 0) return problems;
    const [own, shard] = [this.input.shard, shardOf((request as ChangeRequest).project)];
    return own === shard
      ? []
      : [`project: belongs to shard ${shard}, and this is the writer of shard ${own}`];
  }

  /** Problems of the change of a request, if it has one. */
  validateChange(request: ChangeRequest): string[] {
    const change = request.change ?? undefined;
    const problems = change === undefined ? [] : validateChange(change);
    const fits = problems.length > 0 || this.#hasRoomFor(request);
    return fits ? problems : ['too many changes wait already, and no more fit; ask again later'];
  }

  /** Queues a change, or has it answered. */
  take(request: ChangeRequest, replyTo?: string): void {
    const { project, changeId, space } = request;
    // Other languages write null for what is left out.
    const change = request.change ?? undefined;
    const outcome = this.outcomeOf(request);
    const waiting = this.#waitingOf(request);
    if (outcome) this.replies.add(replyTo, changeId, outcome);
    else if (waiting) waiting.change.replyTo ??= replyTo;
    else if (change === undefined) this.replies.to(replyTo).unknown.push(changeId);
    else {
      const taken = { changeId, change, space: space ?? undefined, replyTo };
      const problems = validateChange(change);
      if (problems.length > 0) this.#settle(project, taken, refusal(problems.join('; ')));
      else if (this.#hasRoomFor(request)) this.#queue(this.#entryOf(project), taken);
      else this.replies.to(replyTo).noRoom.push(changeId);
    }
  }

  /** Whether a change is here already, or has a place in the queue. */
  #hasRoomFor(request: ChangeRequest): boolean {
    if (this.isWaiting(request) || this.outcomeOf(request)) return true;
    const bytes = bytesCarried(request);
    const room = bytes <= LARGEST_SMALL_BYTES ? MOST_BYTES : MOST_BYTES - RESERVED_BYTES;
    const ofProject = this.#projects.get(projectName(request.project))?.bytes ?? 0;
    const withProjects = this.#bytes + bytes + (this.#projects.size + 1) * PROJECT_BYTES;
    return withProjects <= room && (ofProject === 0 || ofProject + bytes <= MOST_PROJECT_BYTES);
  }

  isWaiting(request: ChangeRequest): boolean {
    return this.#waitingOf(request) !== undefined;
  }

  outcomeOf({ project, changeId }: ChangeRequest): ChangeOutcome | undefined {
    return this.#seen.outcomeOf(nameOf(project, changeId));
  }

  /** The projects of the next activity; they are busy until {@link settle}. */
  startGroup(): WriteGroup | undefined {
    const ready = this.#ready();
    if (ready.length === 0) return undefined;
    const group: WriteGroup = { isSlow: isSlow(ready[0]), begunAt: Date.now(), members: [] };
    // Those that waited longest come first: one that hangs must not keep those behind it from ever being written.
    if (group.isSlow) ready.sort((one, other) => notBefore(one) - notBefore(other));
    let bytes = 0;
    for (const entry of ready.slice(0, group.isSlow ? MOST_SLOW_PROJECTS : MOST_PROJECTS)) {
      const changes: QueuedChange[] = [];
      for (const { change, bytes: its } of entry.waiting.values()) {
        // Changes for another space need another PATCH.
        const fits = bytes === 0 || bytes + its <= LARGEST_GROUP_BYTES;
        if (!fits || change.space !== (changes[0] ?? change).space) break;
        bytes += its;
        changes.push(change);
      }
      if (changes.length === 0) continue;
      entry.isBusy = true;
      group.members.push({ entry, changes });
    }
    this.#running.add(group);
    return group;
  }

  orderOf({ isSlow, members }: WriteGroup): WriteOrder {
    const projects = members.map(({ entry: { project }, changes }) => ({
      project,
      space: changes[0]?.space,
      changes: changes.map(({ changeId, change }) => ({ changeId, change })),
    }));
    return { organization: this.input.organization, projects, isSlow };
  }

  /** Records what an activity did. */
  settle(group: WriteGroup, reports: unknown): void {
    this.#running.delete(group);
    for (const [index, { entry, changes }] of group.members.entries()) {
      entry.isBusy = false;
      const { applied, refused, trouble } = reportOf(reports, index);
      const outcomes = new Map<string, ChangeOutcome>(applied.map((changeId) => [changeId, { ok: true }]));
      for (const { changeId, error, wholeProject } of refused)
        outcomes.set(changeId, refusal(error, wholeProject));
      const queued = { ...entry, changes: changes.filter(({ changeId }) => !outcomes.has(changeId)) };
      const isGivenUp = trouble && keepTrouble(queued, trouble, this.authGraceMs);
      if (isGivenUp)
        for (const { changeId } of queued.changes)
          outcomes.set(changeId, refusal(trouble.error, applied.length === 0 || undefined));
      entry.trouble = trouble && !isGivenUp ? queued.trouble : undefined;
      for (const change of changes) {
        const outcome = outcomes.get(change.changeId);
        if (outcome) this.#settle(entry.project, change, outcome);
      }
    }
  }

  /** When the next project that waits for a time can be written; Infinity when none does. */
  wakeAt(): number {
    const times = [...this.#projects.values()].flatMap((entry) =>
      entry.isBusy ? [] : [notBefore(entry), this.#collectUntil],
    );
    return Math.min(...times.filter((at) => at > Date.now()));
  }

  /** For the run that continues this one. */
  state(): WriterProgress {
    return {
      projects: [...this.#projects.values()].map(({ project, waiting, trouble }) => ({
        ...{ project, trouble },
        changes: [...waiting.values()].map(({ change }) => change),
      })),
      seen: this.#seen.state(),
      replies: this.replies.state(),
      ...{ applied: this.#applied, refused: this.#refused },
    };
  }

  /** Of one project, or of the first `most`. */
  describe(only?: ProjectRef, most = Infinity): ProjectWriterState {
    const { organization, shard } = this.input;
    const one = only ? this.#projects.get(projectName(only)) : undefined;
    const shown = only ? (one ? [one] : []) : [...this.#projects.values()].slice(0, most);
    return {
      ...{ organization, shard, waiting: this.#projects.size },
      ...{ applied: this.#applied, refused: this.#refused },
      projects: shown.map(({ project, waiting, trouble }) => ({
        project,
        queued: [...waiting.values()].map(({ change }) => change.changeId),
        trouble: trouble
          ? { since: trouble.since, lastError: trouble.lastError, notBefore: trouble.notBefore }
          : null,
      })),
    };
  }

  /** Projects that one activity can write now: none that hangs is among others that do not. */
  #ready(): QueueEntry[] {
    const slowActivities = [...this.#running].filter((group) => group.isSlow).length;
    // A run that continues as new waits for slow projects, and the others do not wait with it.
    if (this.isContinuing && slowActivities === 0) return [];
    if (this.#running.size >= MOST_ACTIVITIES) return [];
    const ready = [...this.#projects.values()].filter(
      (entry) => !entry.isBusy && notBefore(entry) <= Date.now(),
    );
    let usual = ready.filter((entry) => !isSlow(entry));
    if (usual.length < MOST_PROJECTS && this.#collectUntil > Date.now()) usual = [];
    const mayBeSlow = !this.isContinuing && slowActivities < MOST_SLOW_ACTIVITIES;
    return usual.length > 0 || !mayBeSlow ? usual : ready.filter(isSlow);
  }

  /** Until when the changes of usual projects are collected. */
  get #collectUntil(): number {
    const usual = [...this.#running].filter((group) => !group.isSlow);
    return Math.max(...usual.map(({ begunAt }) => begunAt + COLLECT_MS));
  }

  #waitingOf({ project, changeId }: ChangeRequest): Waiting | undefined {
    return this.#projects.get(projectName(project))?.waiting.get(changeId);
  }

  #entryOf({ resourcetype, id }: ProjectRef): QueueEntry {
    const project = { resourcetype, id };
    const name = projectName(project);
    const entry = this.#projects.get(name) ?? { project, waiting: new Map(), bytes: 0, isBusy: false };
    this.#projects.set(name, entry);
    return entry;
  }

  #queue(entry: QueueEntry, change: QueuedChange): void {
    const bytes = bytesCarried(change);
    entry.waiting.set(change.changeId, { change, bytes });
    entry.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Its outcome is kept for an hour, and signalled to the run that asked for it. */
  #settle(project: ProjectRef, { changeId, replyTo }: QueuedChange, outcome: ChangeOutcome): void {
    const entry = this.#projects.get(projectName(project));
    const bytes = entry?.waiting.get(changeId)?.bytes;
    if (entry && bytes !== undefined) {
      entry.waiting.delete(changeId);
      entry.bytes -= bytes;
      this.#bytes -= bytes;
      if (entry.waiting.size === 0) this.#projects.delete(projectName(project));
    }
    this.#seen.add(nameOf(project, changeId), outcome);
    this.replies.add(replyTo, changeId, outcome);
    if (outcome.ok) this.#applied += 1;
    else {
      this.#refused += 1;
      // Logged, because the run that asked for it may be gone.
      log.warn('the project did not take a change', { changeId, error: outcome.error });
    }
  }
}

/** The id of the run that asks is part of the change id, and is carried beside it. */
function bytesCarried({ changeId, change }: Pick<ChangeRequest, 'changeId' | 'change'>): number {
  return bytesOf(change) + 2 * changeId.length + CHANGE_BYTES;
}

function isSlow(entry: Pick<QueueEntry, 'trouble'> | undefined): boolean {
  return entry?.trouble?.isSlow ?? false;
}

function notBefore({ trouble }: QueueEntry): number {
  return trouble ? Date.parse(trouble.notBefore) : 0;
}

/** What makes it the same change. */
function nameOf(project: ProjectRef, changeId: string): string {
  return `${projectName(project)} ${changeId}`;
}

/** A person can complete an activity with any result. */
function reportOf(reports: unknown, index: number): WriteReport {
  const report: unknown = Array.isArray(reports) ? reports[index] : undefined;
  if (isRecord(report)) {
    const { applied, refused, trouble } = report;
    const isWhole = Array.isArray(applied) && Array.isArray(refused) && refused.every(hasError);
    if (isWhole && (trouble === undefined || hasError(trouble))) return report as unknown as WriteReport;
  }
  return { applied: [], refused: [], trouble: { error: 'it was not written' } };
}

function hasError(value: unknown): boolean {
  return isRecord(value) && typeof value.error === 'string';
}

function refusal(error: string, wholeProject?: true): ChangeOutcome {
  return { ok: false, error: shortened(error), wholeProject };
}
