/** What the service saw, in order: the judge of whether anything was paid for twice. */

export interface Observation {
  operation: string;
  kind: 'submit' | 'read';
  requestId: string | null;
  /** Whether the service did what the request asked for. */
  applied: boolean;
  status: number;
  taskId: string | null;
}

export interface LedgerEntry extends Observation {
  seq: number;
  at: string;
}

export interface LedgerSummary {
  submissions: number;
  /** Second and further applied POSTs of one job. */
  duplicates: number;
}

export class Ledger {
  readonly #entries: LedgerEntry[] = [];

  record(observation: Observation, at = new Date().toISOString()): void {
    this.#entries.push({ seq: this.#entries.length + 1, at, ...observation });
  }

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  summary(): LedgerSummary {
    const submissions = this.#entries.filter(({ kind, applied }) => kind === 'submit' && applied);
    const jobs = new Set(submissions.map(jobOf));
    return { submissions: submissions.length, duplicates: submissions.length - jobs.size };
  }
}

/** The part of a request id before `.submit.`; a POST without an id cannot be told to be of any other's job. */
function jobOf({ requestId, seq }: LedgerEntry): string {
  if (requestId === null) return `#${seq}`;
  const end = requestId.lastIndexOf('.submit.');
  return end === -1 ? requestId : requestId.slice(0, end);
}
