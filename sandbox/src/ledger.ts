/** What the service saw, in order. It shows whether work was paid for twice, sent twice or lost. */

export type Kind = 'submit' | 'notify' | 'patch' | 'read';

export interface Observation {
  operation: string;
  kind: Kind;
  requestId: string | null;
  /** Whether the service did what the request asked for. */
  applied: boolean;
  /** The status that the service answered; null if a fault kept the request from the service. */
  status: number | null;
  taskId: string | null;
  /** The fault that was applied, like `reset after`. */
  fault: string | null;
  /** Members of the project's data that a PATCH dropped, as JSON pointers. */
  lostKeys?: string[];
  /** Distinguishes notifications without a request id. */
  content?: string;
}

export interface LedgerEntry extends Observation {
  seq: number;
  at: string;
  /** When the whole answer was sent. Absent before that, after a fault that cuts the answer off, and after a restart. */
  answeredAt?: string;
}

export interface LedgerSummary {
  submissions: number;
  /** Second and further applied POSTs of one job. */
  duplicates: number;
  notifications: number;
  /** Second and further applied notifications with one request id; without one, with the same content. */
  duplicateNotifications: number;
  patches: number;
  lostKeys: number;
}

export class Ledger {
  readonly #entries: LedgerEntry[] = [];
  readonly #jobs = new Set<string>();
  readonly #events = new Set<string>();
  readonly #submitted = new Map<string, string>();
  #nextSeq = 1;
  #resets = 0;
  #summary = emptySummary();

  record(observation: Observation): LedgerEntry {
    const entry = { seq: this.#nextSeq, at: new Date().toISOString(), ...observation };
    this.take(entry);
    return entry;
  }

  /** Adds an entry unchanged. Reads are not kept over a restart, so the numbers of kept ones may have gaps. */
  take(entry: LedgerEntry): void {
    this.#nextSeq = entry.seq + 1;
    this.#entries.push(entry);
    if (entry.applied) this.#count(entry);
  }

  clear(): void {
    this.#entries.length = 0;
    this.#jobs.clear();
    this.#events.clear();
    this.#submitted.clear();
    this.#nextSeq = 1;
    this.#summary = emptySummary();
    this.#resets += 1;
  }

  /** How often it was cleared. */
  get resets(): number {
    return this.#resets;
  }

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  get summary(): LedgerSummary {
    return { ...this.#summary };
  }

  /** The request that made a task; undefined where it had no id. */
  requestOf(taskId: string): string | undefined {
    return this.#submitted.get(taskId);
  }

  #count(entry: LedgerEntry): void {
    const summary = this.#summary;
    switch (entry.kind) {
      case 'submit':
        summary.submissions += 1;
        if (entry.taskId !== null && entry.requestId !== null)
          this.#submitted.set(entry.taskId, entry.requestId);
        if (isRepeated(this.#jobs, jobOf(entry))) summary.duplicates += 1;
        return;
      case 'notify':
        summary.notifications += 1;
        if (isRepeated(this.#events, entry.requestId ?? entry.content)) summary.duplicateNotifications += 1;
        return;
      case 'patch':
        summary.patches += 1;
        summary.lostKeys += entry.lostKeys?.length ?? 0;
        return;
      case 'read':
        return;
      default:
        entry.kind satisfies never;
    }
  }
}

function emptySummary(): LedgerSummary {
  return {
    submissions: 0,
    duplicates: 0,
    notifications: 0,
    duplicateNotifications: 0,
    patches: 0,
    lostKeys: 0,
  };
}

function isRepeated(seen: Set<string>, name: string | undefined): boolean {
  if (name === undefined) return false;
  const repeated = seen.has(name);
  seen.add(name);
  return repeated;
}

/** The part of a request id before `.submit.`; a POST without an id counts as a separate job. */
function jobOf({ requestId }: LedgerEntry): string | undefined {
  if (requestId === null) return undefined;
  const end = requestId.lastIndexOf('.submit.');
  return end === -1 ? requestId : requestId.slice(0, end);
}
