import { LARGEST_CHUNK, USUAL_CHUNK } from '../contract';

/** How much a worker sends, and what it does not send at all. */
export interface SendLimits {
  /** POSTs of one worker that are on the wire at once; half of them are for batches. */
  maxSubmits: number;
  /** POSTs a second that the task queues hand out, to all workers together; half of them are for batches. */
  maxSubmitRate?: number;
  /** What was ordered before this moment is not sent. */
  holdBefore?: Date;
}

/** What one of the queues may send. */
export interface SendShare {
  onWire: number;
  perSecond?: number;
}

/** Single jobs and batches have one half each; with a limit of one, one each. */
export function sharesOf({ maxSubmits, maxSubmitRate }: SendLimits): { single: SendShare; batch: SendShare } {
  const perSecond = maxSubmitRate === undefined ? undefined : maxSubmitRate / 2;
  return {
    single: { onWire: Math.ceil(maxSubmits / 2), perSecond },
    batch: { onWire: Math.max(1, Math.floor(maxSubmits / 2)), perSecond },
  };
}

/** How chunks share the POSTs that may be on the wire: `items` times `atOnce` is never more. */
export interface ChunkShare {
  /** POSTs that one chunk sends, at most. */
  items: number;
  atOnce: number;
  perSecond?: number;
}

/**
 * With a rate, every worker counts a chunk as `USUAL_CHUNK` POSTs, so no chunk has more. Without one, chunks are large, but
 * two run at once where two POSTs may be on the wire, so that a POST that hangs blocks only half.
 */
export function chunksOf({ onWire, perSecond }: SendShare): ChunkShare {
  if (perSecond !== undefined) {
    const items = Math.min(onWire, USUAL_CHUNK);
    return { items, atOnce: Math.floor(onWire / items), perSecond: perSecond / USUAL_CHUNK };
  }
  const atOnce = Math.max(Math.ceil(onWire / LARGEST_CHUNK), Math.min(onWire, 2));
  return { items: Math.floor(onWire / atOnce), atOnce };
}

export const DEFAULT_LIMITS: SendLimits = { maxSubmits: 100 };
