import { LARGEST_CHUNK, USUAL_CHUNK } from '../contract';

/** How much a worker sends, and what it never sends. */
export interface SendLimits {
  /** POSTs of one worker that are in flight at once; half of them are for batches. */
  maxSubmits: number;
  /** POSTs a second that the task queues hand out, to all workers together; half of them are for batches. */
  maxSubmitRate?: number;
  /** Requests that were scheduled before this moment are not sent. */
  holdBefore?: Date;
}

export interface WriteConfig {
  /** Projects that one worker reads and writes at once. */
  maxWrites: number;
  maxProjectMiB: number;
}

export const DEFAULT_WRITES: WriteConfig = { maxWrites: 50, maxProjectMiB: 8 };

export interface SendShare {
  inFlight: number;
  perSecond?: number;
}

/** Single jobs and batches have one half each; with a limit of one, one each. */
export function sharesOf({ maxSubmits, maxSubmitRate }: SendLimits): { single: SendShare; batch: SendShare } {
  const perSecond = maxSubmitRate === undefined ? undefined : maxSubmitRate / 2;
  return {
    single: { inFlight: Math.ceil(maxSubmits / 2), perSecond },
    batch: { inFlight: Math.max(1, Math.floor(maxSubmits / 2)), perSecond },
  };
}

/** How chunks share the POSTs that may be in flight: `items` times `chunks` is never more. */
export interface ChunkShare {
  /** POSTs that one chunk sends, at most. */
  items: number;
  chunks: number;
  perSecond?: number;
}

/**
 * With a rate, every worker counts a chunk as `USUAL_CHUNK` POSTs, so no chunk has more. Without one, chunks are large, but
 * two run at once where two POSTs may be in flight, so that a POST that hangs blocks only half.
 */
export function chunksOf({ inFlight, perSecond }: SendShare): ChunkShare {
  if (perSecond !== undefined) {
    const items = Math.min(inFlight, USUAL_CHUNK);
    return { items, chunks: Math.floor(inFlight / items), perSecond: perSecond / USUAL_CHUNK };
  }
  const chunks = Math.max(Math.ceil(inFlight / LARGEST_CHUNK), Math.min(inFlight, 2));
  return { items: Math.floor(inFlight / chunks), chunks };
}

export const DEFAULT_LIMITS: SendLimits = { maxSubmits: 100 };
