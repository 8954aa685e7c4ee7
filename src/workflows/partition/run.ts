/** What a partition knows of its items, and what it does at the moment. */
import { workflowInfo } from '@temporalio/workflow';
import {
  type BatchItem,
  type BatchItemResult,
  type ItemCounts,
  type ItemProgress,
  LARGEST_CHUNK,
  type PartitionInput,
  type PartitionProgress,
} from '../../contract';
import { batchItemKey, batchPartWorkflowId } from '../../contract/ids';
import { doubling } from '../lib/atMostOnce';
import { type Sender, wasReset } from '../lib/atMostOnce';
import { type WriterReplies, newWriterReplies } from '../steps/write';
import { type Submitter } from '../steps/submit';
import { type JobTimes } from '../../validation/times';

export interface Partition extends Sender, Submitter {
  readonly input: PartitionInput;
  readonly settings: JobTimes;
  readonly progress: PartitionProgress;
  readonly mailbox: WriterReplies;
  /** Chunks on their way. */
  chunks: number;
  /** How many this run has sent so far. */
  chunksSent: number;
  /** What workers were found to take of one: less than this where one had no place for all. */
  chunkItems: number;
  /** Notifications are on their way. */
  isTelling: boolean;
  /** Items that are being handed to runs of their own. */
  leaving: number;
  /** The batch is being told of them. */
  tellingOfLeaving?: Promise<boolean>;
  /** Nothing is submitted while it does. */
  resting: boolean;
  /** The service did not take the last: one item is tried by itself before others follow. */
  cautious: boolean;
  untilSent: { next(): number };
  untilAllowed: { next(): number };
  /** The same after what its batch did not want; anew with each order of the batch, too. */
  untilWanted: { next(): number };
  /** Something that the batch does not know yet. */
  hasNews: boolean;
  /** The run is long enough: what is on its way is waited for, and another run goes on. */
  handingOver: boolean;
}

export function startPartition(input: PartitionInput, settings: JobTimes): Partition {
  const { carried, batch, n } = input;
  return {
    input,
    settings,
    progress: {
      items: carried?.items ?? input.items.map(newItem),
      letters: carried?.letters ?? [],
      window: carried?.window ?? { order: 0, places: 0, paused: false, cancelled: false },
      polls: carried?.polls ?? 0,
      late: carried?.late ?? null,
      trouble: carried?.trouble ?? null,
      silence: carried?.silence ?? null,
      turns: carried?.turns,
      restUntil: carried?.restUntil,
      reset: wasReset(carried),
    },
    subject: { requestName: batchPartWorkflowId(batch, n) },
    mailbox: newWriterReplies(),
    ...{
      sending: new Set(),
      chunks: 0,
      chunksSent: 0,
      chunkItems: LARGEST_CHUNK,
      isTelling: false,
      leaving: 0,
    },
    ...{ resting: false, cautious: carried !== undefined },
    ...newPatience(),
    untilWanted: newPatienceForOrders(),
    hasNews: true,
    handingOver: false,
  };
}

/** How long it waits after what was not taken; anew after each success. */
export function newPatience(): Pick<Partition, 'untilSent' | 'untilAllowed'> {
  return { untilSent: doubling(1_000, 60_000), untilAllowed: doubling(10_000, 300_000) };
}

/** An order of a person that a worker knew of first is here soon; where it is not, asking on and on helps nobody. */
export function newPatienceForOrders(): Partition['untilWanted'] {
  return doubling(1_000, 60_000);
}

function newItem({ taskId }: BatchItem): ItemProgress {
  return taskId
    ? { status: 'running', taskId, attempts: 0, since: new Date().toISOString() }
    : { status: 'waiting', attempts: 0 };
}

/** An item's place among those of the partition, what it asks for and what is known of it. */
export interface Entry {
  place: number;
  asked: BatchItem;
  known: ItemProgress;
}

export function entryAt({ input, progress }: Partition, place: number): Entry {
  const [asked, known] = [input.items[place], progress.items[place]];
  if (!asked || !known) throw new RangeError(`the partition has no item ${place}`);
  return { place, asked, known };
}

export function entriesWith(run: Partition, isWanted: (known: ItemProgress) => boolean): Entry[] {
  return run.progress.items.flatMap((known, place) => (isWanted(known) ? [entryAt(run, place)] : []));
}

/** The first ones, and no more of them than are needed. */
export function firstEntriesWith(
  run: Partition,
  isWanted: (known: ItemProgress) => boolean,
  most: number,
): Entry[] {
  const entries: Entry[] = [];
  for (const [place, known] of run.progress.items.entries()) {
    if (entries.length >= most) break;
    if (isWanted(known)) entries.push(entryAt(run, place));
  }
  return entries;
}

export function isOver({ status }: ItemProgress): boolean {
  return status !== 'waiting' && status !== 'running';
}

/** Whether nothing is left to do here. */
export function isDone({ progress }: Partition): boolean {
  return progress.items.every(isOver);
}

/** Whether nothing more is begun here. */
export function isClosing(run: Partition): boolean {
  return run.handingOver || isDone(run);
}

/**
 * Whether the next run may take over. What is on its way may wait in the queue for hours, behind that of others: until
 * then its tasks are followed, and what becomes of them is told.
 */
export function isHandedOver({ handingOver, chunks, isTelling }: Partition): boolean {
  return handingOver && chunks === 0 && !isTelling;
}

/** Whether the loops of the partition come to their end. */
export function isEnding(run: Partition): boolean {
  return isHandedOver(run) || isDone(run);
}

/** Results are on their way into projects. */
export function isWriting({ progress }: Partition): boolean {
  return progress.letters.length > 0;
}

/** Whether this run has nothing left to do: a project that cannot be written does not keep the next one from beginning. */
export function isAtEnd(run: Partition): boolean {
  return isHandedOver(run) || (isDone(run) && !isWriting(run));
}

/** Looked at after whatever makes the history longer. */
export function endWhenLong(run: Partition): void {
  run.handingOver ||= workflowInfo().continueAsNewSuggested;
}

export function jobKeyOf({ input }: Partition, place: number): string {
  return batchItemKey(input.batch, input.first + place);
}

export function countsOf({ progress }: Partition): ItemCounts {
  const counts: ItemCounts = { waiting: 0, running: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0 };
  for (const { status } of progress.items) counts[status] += 1;
  return counts;
}

/** A single poll meets an error now and then, also where its worker is stopped: that is nothing to tell. */
const SILENT_POLLS = 3;

/** Why nothing is learned of its tasks, where that lasts. */
export function silenceOf({ progress: { silence } }: Pick<Partition, 'progress'>): string | null {
  return silence && silence.polls >= SILENT_POLLS
    ? `nothing is learned of its tasks: ${silence.reason}`
    : null;
}

export function resultsOf(run: Partition): BatchItemResult[] {
  return run.progress.items.map(({ status, taskId, info, error, unwritten, notice, workflowId }, place) => ({
    key: entryAt(run, place).asked.key,
    status,
    taskId: taskId ?? null,
    ...(info === undefined ? {} : { info }),
    ...(error === undefined ? {} : { error }),
    ...(unwritten === undefined ? {} : { unwritten }),
    ...(notice && 'status' in notice ? { notified: notice } : {}),
    ...(workflowId === undefined ? {} : { workflowId }),
  }));
}
