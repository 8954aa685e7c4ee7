/** Limits the POSTs of chunks that this process sends at once. */
export interface SendSlots {
  /** Takes as many slots as are free. Nothing waits for a slot: an item that waited here would be unknown after a crash. */
  acquire: (wanted: number) => AcquiredSlots;
}

export interface AcquiredSlots {
  readonly count: number;
  /** How many slots a chunk gets at most. */
  readonly room: number;
  readonly reasonForNoMore: string;
  /** A POST is over. */
  releaseOne: () => void;
  /** The chunk is over. */
  releaseRest: () => void;
}

/** `most` in all, and of one chunk: so that a POST that hangs does not keep all others waiting. */
export function createSendSlots({ most = Infinity, mostOfChunk = Infinity } = {}): SendSlots {
  let taken = 0;
  return {
    acquire(wanted) {
      const count = Math.min(wanted, mostOfChunk, most - taken);
      let held = count;
      const release = (slots: number): void => {
        held -= slots;
        taken -= slots;
      };
      taken += count;
      return {
        count,
        room: Math.min(most, mostOfChunk),
        reasonForNoMore: `not sent: this worker has ${most} slots for POSTs of batches, ${mostOfChunk} for a chunk`,
        releaseOne() {
          release(Math.min(held, 1));
        },
        releaseRest() {
          release(held);
        },
      };
    },
  };
}
