/** The state of a partition: what outlives the run (`progress`), what it does at the moment, and what follows from both. */
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import {
  type BatchItem,
  type BatchItemResult,
  FAILURE,
  type ItemCounts,
  type ItemProgress,
  LARGEST_CHUNK,
  NO_ITEMS,
  type PartitionInput,
  type PartitionProgress,
  type PendingWrite,
} from '../../contract';
import { projectStatusCommand } from '../../contract/advice';
import { batchItemKey } from '../../contract/ids';
import { newBackoff, wasReset } from '../lib/atMostOnce';
import { ProjectWrites } from '../steps/write';
import { jobTimes, type JobTimes } from '../../validation/times';

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

/** A project that takes results so late is reported, as by its writer. */
const LATE_MS = 15 * 60_000;

/** One poll may fail, also because its worker stops: that is not reported. */
const SILENT_POLLS = 3;

export class Partition {
  readonly settings: JobTimes;
  readonly progress: PartitionProgress;
  readonly writes = new ProjectWrites();
  readonly sending = new Set<unknown>();
  chunksInFlight = 0;
  /** By this run. */
  chunksSent = 0;
  /** Items of a chunk; fewer after a worker had no room for all. */
  chunkItems = LARGEST_CHUNK;
  isNotifying = false;
  /** Items that just ended are about to be written. */
  isSaving = false;
  /** Items being started as separate jobs. */
  promoting = 0;
  /** The report to the batch that comes before their start. */
  reporting?: Promise<boolean>;
  /** Nothing is submitted during a backoff. */
  isBackingOff = false;
  /** The service did not take the last chunk: the next one has one item. */
  isProbing: boolean;
  backoff = newBackoff();
  /** Something has changed that the batch does not know. */
  isReportDue = true;
  /** The batch shows that results wait to be written. */
  isDelayReported = false;
  /** The history is long: this run finishes what is in flight, and continues as new. */
  handingOver = false;

  constructor(readonly input: PartitionInput) {
    const { carried } = input;
    this.settings = jobTimes(input);
    this.progress = {
      items: input.items.map(newItem),
      pendingWrites: [],
      slotGrant: { order: 0, slots: 0, paused: false, cancelled: false },
      polls: 0,
      late: null,
      trouble: null,
      silence: null,
      ...carried,
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

  entries(isWanted: (known: ItemProgress) => boolean, most = Infinity): Entry[] {
    const entries: Entry[] = [];
    for (const [index, known] of this.progress.items.entries()) {
      if (entries.length >= most) break;
      if (isWanted(known)) entries.push(this.entry(index));
    }
    return entries;
  }

  /** The first of those with the fewest tries: one that fails again and again does not block those behind it. */
  leastTried(
    isWanted: (known: ItemProgress) => boolean,
    triesOf: (known: ItemProgress) => number,
    most: number,
  ): Entry[] {
    const fewest = Math.min(...this.progress.items.filter(isWanted).map(triesOf));
    return this.entries((known) => isWanted(known) && triesOf(known) === fewest, most);
  }

  jobKey(index: number): string {
    return batchItemKey(this.input.batch, this.input.first + index);
  }

  /** What is not done yet. Items come first: their ends are written, and then their users are notified. */
  get left(): 'items' | 'writes' | 'notices' | null {
    const { items, pendingWrites } = this.progress;
    if (!items.every(isOver)) return 'items';
    if (pendingWrites.length > 0) return 'writes';
    return items.some(isNoticeDue) ? 'notices' : null;
  }

  /** The next run does what is left. Chunks may wait in the task queue for hours: until they end, this run polls and reports. */
  get isHandedOver(): boolean {
    const isAsking = this.isSaving || this.writes.isAsking;
    return this.handingOver && this.chunksInFlight === 0 && !this.isNotifying && !isAsking;
  }

  get isFinished(): boolean {
    return this.isHandedOver || this.left === null;
  }

  /** Call it after each step that makes the history longer. */
  handOverWhenLong(): void {
    this.handingOver ||= workflowInfo().continueAsNewSuggested;
  }

  get counts(): ItemCounts {
    const counts = { ...NO_ITEMS };
    for (const { status } of this.progress.items) counts[status] += 1;
    return counts;
  }

  /** Why polls fail, where that lasts. */
  get silence(): string | null {
    const { silence } = this.progress;
    return silence && silence.polls >= SILENT_POLLS ? `polls fail: ${silence.reason}` : null;
  }

  /** Which project does not get results, where that lasts. */
  get delay(): string | null {
    const isLate = ({ asked }: PendingWrite): boolean =>
      asked?.firstAt !== undefined && Date.now() - Date.parse(asked.firstAt) >= LATE_MS;
    const late = this.progress.pendingWrites.filter(isLate);
    const [first] = late;
    if (!first) return null;
    const items = late.flatMap(itemsOf).length;
    return `results wait to be written: ${items}; \`${projectStatusCommand(first.project, first.scope)}\` says why`;
  }

  results(): BatchItemResult[] {
    const pending = new Set(this.progress.pendingWrites.flatMap(itemsOf));
    return this.entries(() => true).map(({ index, asked, known }) => {
      const { taskId, info, error, notice, workflowId } = known;
      const notified = notice && 'status' in notice ? notice : undefined;
      // A partition that is terminated now leaves a result that its project does not have.
      const isPending = known.status === 'succeeded' && pending.has(index);
      const status = isPending ? 'unsaved' : known.status;
      const unwritten = isPending ? 'its project does not have it yet' : known.unwritten;
      return {
        ...{ key: asked.key, status, taskId: taskId ?? null },
        ...{ info, error, unwritten, notified, workflowId },
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

function itemsOf({ asked, halves, waiting }: PendingWrite): number[] {
  return [asked?.items ?? [], ...halves, waiting].flat().map(({ item }) => item);
}

function newItem({ taskId }: BatchItem): ItemProgress {
  return taskId
    ? { status: 'running', taskId, attempts: 0, since: new Date().toISOString() }
    : { status: 'waiting', attempts: 0 };
}
