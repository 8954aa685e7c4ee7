/** Kills a worker and checks by the ledger that each held job's POST was unanswered, or just answered, at a kill. */
import { type LedgerEntry } from '../../../sandbox/src/ledger';
import { eventually } from '../eventually';
import { type SegueProcess } from '../servers/segueProcess';
import { readLedger } from './sandbox';

/** The fault of a POST that is accepted and never answered. */
export const UNANSWERED = { fault: 'hang', when: 'after' } as const;

export function isUnanswered(entry: LedgerEntry): boolean {
  return isSubmit(entry) && entry.answeredAt === undefined;
}

/** What the service had seen when a worker was killed. */
export type LedgerAtKill = LedgerEntry[];

export async function killWorker(worker: SegueProcess, sandboxUrl: string): Promise<LedgerAtKill> {
  await worker.end('SIGKILL');
  const deadAt = new Date().toISOString();
  const entries = await settledLedger(sandboxUrl);
  // The dead worker cannot have read an answer that was sent later.
  return entries.map((entry) =>
    entry.answeredAt && entry.answeredAt > deadAt ? { ...entry, answeredAt: undefined } : entry,
  );
}

/** Two equal reads: what a dead process left in the sandbox's sockets is handled before the second one. */
export function settledLedger(sandboxUrl: string): Promise<LedgerAtKill> {
  let before = -1;
  return eventually('the last of its requests', async () => {
    const { entries } = await readLedger(sandboxUrl);
    const isAll = entries.length === before;
    before = entries.length;
    return isAll && entries;
  });
}

/** What a kill may have lost, by the ledger: jobs whose POST was unanswered, and those answered just before. */
export interface InDoubt {
  unanswered: string[];
  justAnswered: string[];
}

/**
 * Fails for a held job whose POST reached the service, unless a kill may have lost its outcome. Call it before
 * anything is submitted again.
 */
export async function expectHoldsExplained(
  sandboxUrl: string,
  kills: LedgerAtKill[],
  held: string[],
): Promise<InDoubt> {
  const { entries } = await readLedger(sandboxUrl);
  const sent = new Set(entries.filter(isSubmit).map(jobOf));
  // Each worker's own requests: the entries since the kill before.
  const seenOf = kills.map((seen, n) => seen.slice(kills[n - 1]?.length ?? 0));
  const unanswered = seenOf.flatMap((seen) => seen.filter(isUnanswered).map(jobOf));
  const justAnswered = seenOf.flatMap((seen) => notReported(seen).map(jobOf));
  const explained = new Set([...unanswered, ...justAnswered]);
  expect(held.filter((job) => sent.has(job) && !explained.has(job))).toEqual([]);
  return { unanswered, justAnswered };
}

/** POSTs that were answered, but maybe not reported: a task that is polled was reported, and so were earlier ones. */
function notReported(seen: LedgerAtKill): LedgerEntry[] {
  const polled = new Set(seen.flatMap(({ operation, taskId }) => (operation === 'get-task' ? [taskId] : [])));
  const last = lastReported(seen);
  return seen.filter(
    (entry) => isSubmit(entry) && !isUnanswered(entry) && !polled.has(entry.taskId) && entry.seq > last,
  );
}

/**
 * The ledger's number of the last POST whose task was polled twice. Between two polls the worker had time to report every
 * earlier answer to Temporal, however busy the machine.
 */
export function lastReported(seen: LedgerAtKill): number {
  const polls = new Map<string | null, number>();
  for (const { operation, taskId } of seen)
    if (operation === 'get-task') polls.set(taskId, (polls.get(taskId) ?? 0) + 1);
  return seen.filter(isSubmit).findLast(({ taskId }) => (polls.get(taskId) ?? 0) >= 2)?.seq ?? 0;
}

function isSubmit({ kind, applied }: LedgerEntry): boolean {
  return kind === 'submit' && applied;
}

/** The key of the job that a request is for. */
export function jobOf({ requestId }: LedgerEntry): string {
  return requestId?.replace(/\.submit\.\d+$/, '') ?? '';
}
