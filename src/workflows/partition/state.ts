/** The state of a partition: what outlives the run (`progress`), what it does at the moment, and what follows from both. */
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import {
  type BatchItem,
  type BatchItemResult,
  FAILURE,
  type ItemCounts,
  type ItemProgress,
  LARGEST_CHUNK,
  type PartitionInput,
  type PartitionProgress,
} from '../../contract';
import { batchItemKey, batchPartWorkflowId } from '../../contract/ids';
import { doubling, type Sender, wasReset } from '../lib/atMostOnce';
import { WriterReplies } from '../steps/write';
import { type Submitter } from '../steps/submit';
import { type JobTimes } from '../../validation/times';

/** An item's index in the partition, what it asks for and what is known of it. */
export interface Entry {
  index: number;
  asked: BatchItem;
  known: ItemProgress;
}

export function isOver({ status }: ItemProgress): boolean {
  return status !== 'waiting' && status !== 'running';
}

export function isNoticeDue({ notice }: ItemProgress): boolean {
  return notice !== undefined && 'due' in notice;
}

type Backoff = ReturnType<typeof doubling>;

/** One poll may fail, also because its worker stops: that is not reported. */
const SILENT_POLLS = 3;

export class Partition implements Sender, Submitter {
  readonly requestName: string;
  readonly progress: PartitionProgress;
  readonly writerReplies = new WriterReplies();
  readonly sending: Submitter['sending'] = new Set();
  chunksInFlight = 0;
  /** By this run. */
  chunksSent = 0;
  /** Items of a chunk; fewer after a worker had no room for all. */
  chunkItems = LARGEST_CHUNK;
  isNotifying = false;
  /** Items that just ended are about to be written. */
  isSaving = false;
  /** Items being started as jobs of their own. */
  promoting = 0;
  /** The report to the batch that comes before their start. */
  reporting?: Promise<boolean>;
  /** Nothing is submitted meanwhile. */
  isBackingOff = false;
  /** The service did not take the last chunk: the next one has one item. */
  isProbing: boolean;
  sendBackoff: Backoff = doubling(1_000, 60_000);
  accessBackoff: Backoff = doubling(10_000, 300_000);
  /** After a worker refused to send for a batch that is paused or over; reset by each slot grant. */
  orderBackoff: Backoff = doubling(1_000, 60_000);
  /** Something has changed that the batch does not know. */
  isReportDue = true;
  /** The history is long: this run finishes what is in flight, and continues as new. */
  handingOver = false;

  constructor(
    readonly input: PartitionInput,
    readonly settings: JobTimes,
  ) {
    const { carried, batch, n } = input;
    this.requestName = batchPartWorkflowId(batch, n);
    this.progress = {
      items: carried?.items ?? input.items.map(newItem),
      pendingWrites: carried?.pendingWrites ?? [],
      window: carried?.window ?? { order: 0, places: 0, paused: false, cancelled: false },
      polls: carried?.polls ?? 0,
      late: carried?.late ?? null,
      trouble: carried?.trouble ?? null,
      silence: carried?.silence ?? null,
      turns: carried?.turns,
      restUntil: carried?.restUntil,
      reset: wasReset(carried),
    };
    this.isProbing = carried !== undefined;
  }

  entry(index: number): Entry {
    const [asked, known] = [this.input.items[index], this.progress.items[index]];
    if (!asked || !known)
      throw ApplicationFailure.nonRetryable(`the partition has no item ${index}`, FAILURE.badInput);
    return { index, asked, known };
  }

  entries(isWanted: (known: ItemProgress) => boolean): Entry[] {
    return this.firstEntries(isWanted, Infinity);
  }

  firstEntries(isWanted: (known: ItemProgress) => boolean, most: number): Entry[] {
    const entries: Entry[] = [];
    for (const [index, known] of this.progress.items.entries()) {
      if (entries.length >= most) break;
      if (isWanted(known)) entries.push(this.entry(index));
    }
    return entries;
  }

  jobKey(index: number): string {
    return batchItemKey(this.input.batch, this.input.first + index);
  }

  /** Every item is over. */
  isDone(): boolean {
    return this.progress.items.every(isOver);
  }

  /** Nothing more is submitted by this run. */
  isClosing(): boolean {
    return this.handingOver || this.isDone();
  }

  /** Chunks may wait in the task queue for hours: until they end, this run polls and reports. */
  isHandedOver(): boolean {
    return this.handingOver && this.chunksInFlight === 0 && !this.isNotifying;
  }

  /** Polling ends. */
  isEnding(): boolean {
    return this.isHandedOver() || this.isDone();
  }

  isWriting(): boolean {
    return this.progress.pendingWrites.length > 0;
  }

  /** This run has nothing left to do. A project that cannot be written does not keep it from continuing as new. */
  isAtEnd(): boolean {
    return this.isHandedOver() || (this.isDone() && !this.isWriting());
  }

  hasDueNotices(): boolean {
    return this.progress.items.some(isNoticeDue);
  }

  /** To be called after whatever makes the history longer. */
  handOverWhenLong(): void {
    this.handingOver ||= workflowInfo().continueAsNewSuggested;
  }

  /** After the service took something. */
  resetBackoff(): void {
    this.sendBackoff = doubling(1_000, 60_000);
    this.accessBackoff = doubling(10_000, 300_000);
    this.isProbing = false;
  }

  get counts(): ItemCounts {
    const counts: ItemCounts = { waiting: 0, running: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0 };
    for (const { status } of this.progress.items) counts[status] += 1;
    return counts;
  }

  /** Why polls tell nothing, where that lasts. */
  get silence(): string | null {
    const { silence } = this.progress;
    return silence && silence.polls >= SILENT_POLLS
      ? `nothing is learned of its tasks: ${silence.reason}`
      : null;
  }

  results(): BatchItemResult[] {
    return this.entries(() => true).map(({ asked, known }) => {
      const { status, taskId, info, error, unwritten, notice, workflowId } = known;
      return {
        key: asked.key,
        status,
        taskId: taskId ?? null,
        ...(info === undefined ? {} : { info }),
        ...(error === undefined ? {} : { error }),
        ...(unwritten === undefined ? {} : { unwritten }),
        ...(notice && 'status' in notice ? { notified: notice } : {}),
        ...(workflowId === undefined ? {} : { workflowId }),
      };
    });
  }

  /** The input of the next run, without the requests of items that are over. */
  nextInput(): PartitionInput {
    const items = this.input.items.map((item, index) => {
      const known = this.progress.items[index];
      const { key, tool, notify } = item;
      return known && isOver(known) ? { key, tool, request: {}, notify } : item;
    });
    return { ...this.input, items, carried: this.progress };
  }
}

function newItem({ taskId }: BatchItem): ItemProgress {
  return taskId
    ? { status: 'running', taskId, attempts: 0, since: new Date().toISOString() }
    : { status: 'waiting', attempts: 0 };
}
