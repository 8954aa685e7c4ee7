/** The service's state, and all its changes. */
import { type Outcome } from './images/pictures';
import { type Seed } from './seed';

export interface Task {
  id: string;
  workspace: number;
  tool: string;
  request: Record<string, unknown>;
  submittedAt: string;
}

export interface Project {
  resourcetype: string;
  id: string;
  workspace: number;
  title: string;
  description: string;
  primary_type: string;
  data?: Record<string, unknown>;
  /** Grows with each PATCH; its ETag. */
  version: number;
}

export interface SentNotification {
  id: string;
  at: string;
  request: Record<string, unknown>;
  /** The channels of its category. */
  channels: string[];
  /** The notification as delivered, with the document's defaults filled in. */
  delivered: { heading: string; card: string; body: string; link: string | null; ctaLabel: string };
  /** Rules of the document that this notification breaks. */
  remarks: string[];
}

/** All changes are plain values, so that a journal can restore the state. */
export type Change =
  | { type: 'reset' }
  | { type: 'seed'; seed: Seed; at: string }
  | { type: 'task'; task: Task }
  | { type: 'task-over'; id: string; outcome: Outcome }
  | { type: 'project'; project: Project }
  | { type: 'notification'; notification: SentNotification }
  | { type: 'job-over'; kind: 'transcription' | 'video'; id: string; job_status: string };

type Seeded<Name extends keyof Seed> = NonNullable<Seed[Name]> extends (infer Item)[] ? Item : never;

export class State {
  readonly #otherIds: ReadonlyMap<number, number>;

  constructor(otherIds: ReadonlyMap<number, number> = new Map()) {
    this.#otherIds = otherIds;
  }

  /** The workspace with this id, which may be one of its other ids. */
  workspaceOf(id: string): number | undefined {
    const known = this.#otherIds.get(Number(id)) ?? Number(id);
    return String(known) === id || this.#otherIds.has(Number(id)) ? known : undefined;
  }

  /** The public id of a workspace: the newest of its other ids. */
  otherIdOf(workspace: number): number {
    const others = [...this.#otherIds].flatMap(([other, own]) => (own === workspace ? [other] : []));
    return others.at(-1) ?? workspace;
  }

  readonly keys = new Map<string, Seeded<'keys'>>();
  readonly users = new Map<number, Seeded<'users'>>();
  readonly workspaces = new Map<number, Seeded<'workspaces'>>();
  readonly voices = new Map<string, Seeded<'voices'>>();
  readonly boards = new Map<string, Seeded<'boards'>>();
  readonly boardTasks = new Map<string, Seeded<'boardTasks'>>();
  readonly drafts = new Map<string, Seeded<'drafts'>>();
  readonly transcriptions = new Map<string, Seeded<'transcriptions'> & { since: string }>();
  readonly assets = new Map<string, Seeded<'assets'>>();
  readonly runs = new Map<string, Seeded<'runs'>>();
  readonly videos = new Map<string, Seeded<'videos'>>();
  readonly projects = new Map<string, Project>();
  readonly tasks = new Map<string, Task>();
  /** Tasks whose end a poll has seen. It stays their end, even if the pace or the source would give another later. */
  readonly tasksOver = new Map<string, Outcome>();
  /** What a webhook wrote to a record, by kind and id. */
  readonly jobsOver = new Map<string, string>();
  readonly notifications: SentNotification[] = [];
  /** How often each record was read. It is not stored, because only the pace depends on it. */
  readonly reads = new Map<string, number>();

  apply(change: Change): void {
    switch (change.type) {
      case 'reset':
        for (const held of Object.values(this)) {
          if (held instanceof Map) held.clear();
        }
        this.notifications.length = 0;
        return;
      case 'seed':
        this.#plant(change.seed, change.at);
        return;
      case 'task':
        this.tasks.set(change.task.id, change.task);
        return;
      case 'task-over':
        this.tasksOver.set(change.id, change.outcome);
        return;
      case 'project':
        this.projects.set(projectKey(change.project), change.project);
        return;
      case 'notification':
        this.notifications.push(change.notification);
        return;
      case 'job-over':
        this.jobsOver.set(`${change.kind} ${change.id}`, change.job_status);
        return;
      default:
        change satisfies never;
    }
  }

  /** Counts one more read of a record, and gives their number. */
  countRead(record: string): number {
    const reads = (this.reads.get(record) ?? 0) + 1;
    this.reads.set(record, reads);
    return reads;
  }

  /** Replaces records with the same id; everything else stays. */
  #plant(seed: Seed, at: string): void {
    for (const key of seed.keys) this.keys.set(key.key, key);
    for (const project of seed.projects) {
      const version = (this.projects.get(projectKey(project))?.version ?? 0) + 1;
      this.projects.set(projectKey(project), { ...project, version });
    }
    for (const transcription of seed.transcriptions) {
      this.transcriptions.set(transcription.id, { ...transcription, since: at });
      this.#forgetProgress('transcription', transcription.id);
    }
    for (const name of ['assets', 'runs', 'videos'] as const) {
      for (const record of seed[name]) this.#forgetProgress(name.slice(0, -1), record.id);
    }
    plantAll(this.users, seed.users);
    plantAll(this.workspaces, seed.workspaces);
    plantAll(this.voices, seed.voices);
    plantAll(this.boards, seed.boards);
    plantAll(this.boardTasks, seed.boardTasks);
    plantAll(this.drafts, seed.drafts);
    plantAll(this.assets, seed.assets);
    plantAll(this.runs, seed.runs);
    plantAll(this.videos, seed.videos);
  }

  #forgetProgress(kind: string, id: string): void {
    this.reads.delete(`${kind} ${id}`);
    this.jobsOver.delete(`${kind} ${id}`);
  }
}

export function projectKey({ resourcetype, id }: { resourcetype: string; id: string }): string {
  return JSON.stringify([resourcetype, id]);
}

function plantAll<Id, Item extends { id: Id }>(into: Map<Id, Item>, items: Item[]): void {
  for (const item of items) into.set(item.id, item);
}
