/** What the writers of projects told a run. */
import { setHandler } from '@temporalio/workflow';
import { type Changed, changedSignal, type ChangeOutcome } from '../../contract';
import { isRecord, isText } from '../../validation/inputs';

/** Each run has its own: all runs of a worker share the code, so nothing may be kept beside it. */
export interface Mailbox {
  /** By change id. */
  readonly answers: Map<string, Changed>;
  /** The changes that the writer had no room for, when it was asked last. */
  readonly turnedAway: Set<string>;
  /** Who wants to know whether the writer has a change. */
  readonly receipts: Map<string, (isKept: boolean) => void>;
}

export function newMailbox(): Mailbox {
  return { answers: new Map(), turnedAway: new Set(), receipts: new Map() };
}

export function openMailbox(mailbox: Mailbox): void {
  setHandler(
    changedSignal,
    (changed: unknown) => {
      keep(mailbox, changed);
    },
    { description: 'Tells the outcome of a change that this run asked for: { changeId, ok, error }.' },
  );
}

/** Anybody can send a signal; what is no answer of a writer changes nothing. */
function keep({ answers, turnedAway, receipts }: Mailbox, changed: unknown): void {
  if (!isRecord(changed) || !isText(changed.changeId)) return;
  const { changeId, isKept } = changed;
  if (typeof isKept === 'boolean') {
    if (!isKept) turnedAway.add(changeId);
    receipts.get(changeId)?.(isKept);
  } else answers.set(changeId, changed as Changed);
}

export function isAnswered({ answers }: Mailbox, changeId: string): boolean {
  return answers.has(changeId);
}

/** The writer's, if it is here. */
export function answerTo({ answers }: Mailbox, changeId: string): ChangeOutcome | undefined {
  const answer = answers.get(changeId);
  if (!answer) return undefined;
  return answer.ok ? { ok: true } : { ok: false, error: answer.error };
}
