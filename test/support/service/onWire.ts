/** Kills a worker and checks by the ledger that every held job whose POST arrived was in flight at a kill. */
import { type LedgerEntry } from '../../../sandbox/src/ledger';
import { eventually } from '../eventually';
import { type SegueProcess } from '../servers/segueProcess';
import { readLedger } from './sandbox';

/** The fault of a POST that is accepted and never answered. */
export const UNANSWERED = { fault: 'hang', when: 'after' } as const;

export function isUnanswered({ fault }: LedgerEntry): boolean {
  return fault === `${UNANSWERED.fault} ${UNANSWERED.when}`;
}

/** What the service had seen when a worker was killed. */
export type LedgerAtKill = LedgerEntry[];

export async function killWorker(worker: SegueProcess, sandboxUrl: string): Promise<LedgerAtKill> {
  await worker.end('SIGKILL');
  return settledLedger(sandboxUrl);
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

/**
 * Fails for a held job whose POST reached the service, unless at one of the kills it was unanswered, or its answer may not
 * have reached Temporal. To be called before anything is submitted again. Returns how many jobs, held or not, that is
 * true of.
 */
export async function expectHoldsExplained(
  sandboxUrl: string,
  kills: LedgerAtKill[],
  held: string[],
): Promise<number> {
  const { entries } = await readLedger(sandboxUrl);
  const sent = new Set(submitsIn(entries).map(jobOf));
  const wasOnWire = (job: string): boolean =>
    kills.some((seen) => {
      const submit = submitsIn(seen).find((entry) => jobOf(entry) === job);
      return submit && !isReported(submit, seen);
    });
  expect(held.filter((job) => sent.has(job) && !wasOnWire(job))).toEqual([]);
  return [...sent].filter(wasOnWire).length;
}

/** Whether Temporal has its outcome. */
function isReported(submit: LedgerEntry, seen: LedgerAtKill): boolean {
  return !isUnanswered(submit) && submit.seq <= lastReported(seen);
}

/**
 * The ledger's number of the last POST whose task was polled twice. Between two polls the worker had time to report every
 * earlier answer to Temporal, however busy the machine.
 */
export function lastReported(seen: LedgerAtKill): number {
  const polls = new Map<string | null, number>();
  for (const { operation, taskId } of seen)
    if (operation === 'get-task') polls.set(taskId, (polls.get(taskId) ?? 0) + 1);
  return submitsIn(seen).findLast(({ taskId }) => (polls.get(taskId) ?? 0) >= 2)?.seq ?? 0;
}

function submitsIn(entries: LedgerEntry[]): LedgerEntry[] {
  return entries.filter(({ kind, applied }) => kind === 'submit' && applied);
}

/** The key of the job that a request is for. */
export function jobOf({ requestId }: LedgerEntry): string {
  return requestId?.replace(/\.submit\.\d+$/, '') ?? '';
}
