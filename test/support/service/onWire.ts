/** Workers that are killed, and what Temporal may not know of afterwards: the ledger is the judge of what is held. */
import { type LedgerEntry } from '../../../src/sandbox/ledger';
import { eventually } from '../eventually';
import { type SegueProcess } from '../servers/segueProcess';
import { readLedger } from './sandbox';

/** The fault of a POST that is accepted and never answered. */
export const STUCK = { fault: 'hang', when: 'after' } as const;

export function isStuck({ fault }: LedgerEntry): boolean {
  return fault === `${STUCK.fault} ${STUCK.when}`;
}

/** What the service had seen when a process was killed. */
export type Kill = LedgerEntry[];

/** kill -9. */
export async function killWorker(worker: SegueProcess, sandboxUrl: string): Promise<Kill> {
  await worker.end('SIGKILL');
  return seenSoFar(sandboxUrl);
}

/** All that the service has seen, also what was on its way from a process that is dead. */
export function seenSoFar(sandboxUrl: string): Promise<Kill> {
  let before = -1;
  return eventually('the last of its requests', async () => {
    const { entries } = await readLedger(sandboxUrl);
    const isAll = entries.length === before;
    before = entries.length;
    return isAll && entries;
  });
}

/**
 * Each of these jobs is held for a reason: its POST never came to the service, or was on the wire at one of the kills, or was
 * answered so shortly before that Temporal may not have been told. To be called before anything is submitted again.
 */
export async function expectOnWire(sandboxUrl: string, kills: Kill[], held: string[]): Promise<void> {
  const { entries } = await readLedger(sandboxUrl);
  const sent = new Set(submitsIn(entries).map(jobOf));
  const wasOnWire = (job: string): boolean =>
    kills.some((seen) => {
      const submit = submitsIn(seen).find((entry) => jobOf(entry) === job);
      return submit && !isTold(submit, seen);
    });
  expect(held.filter((job) => sent.has(job) && !wasOnWire(job))).toEqual([]);
}

/** Whether Temporal has its outcome: it was answered before one that {@link lastTold} names. */
function isTold(submit: LedgerEntry, seen: Kill): boolean {
  return !isStuck(submit) && submit.seq <= lastTold(seen);
}

/**
 * The number of the last POST whose task was polled twice. A worker had the pause between two polls to tell Temporal of
 * whatever was answered before: it is measured by what the worker did, however busy the machine.
 */
export function lastTold(seen: Kill): number {
  const polls = new Map<string | null, number>();
  for (const { operation, taskId } of seen)
    if (operation === 'get-task') polls.set(taskId, (polls.get(taskId) ?? 0) + 1);
  return submitsIn(seen).findLast(({ taskId }) => (polls.get(taskId) ?? 0) >= 2)?.seq ?? 0;
}

function submitsIn(entries: LedgerEntry[]): LedgerEntry[] {
  return entries.filter(({ kind, applied }) => kind === 'submit' && applied);
}

function jobOf({ requestId }: LedgerEntry): string {
  return requestId?.replace(/\.submit\.\d+$/, '') ?? '';
}
