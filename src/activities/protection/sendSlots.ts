/** The POSTs of chunks that are on their way, or about to be, in this process. */
export interface Wire {
  /** Takes places, as many as there are: nothing waits for one, since what waited here would be unknown after a crash. */
  reserve: (wanted: number) => Places;
}

export interface Places {
  /** How many there were. */
  readonly count: number;
  /** How many of a chunk there are at most. */
  readonly room: number;
  readonly whyNoMore: string;
  /** A POST is over. */
  giveBackOne: () => void;
  /** Nothing more is sent. */
  giveBackRest: () => void;
}

/** `most` in all, and of one chunk: so that a POST that hangs does not keep all others waiting. */
export function createWire({ most = Infinity, mostOfChunk = Infinity } = {}): Wire {
  let taken = 0;
  return {
    reserve(wanted) {
      const count = Math.min(wanted, mostOfChunk, most - taken);
      let left = count;
      const giveBack = (places: number): void => {
        left -= places;
        taken -= places;
      };
      taken += count;
      return {
        count,
        room: Math.min(most, mostOfChunk),
        whyNoMore: `not sent: this worker has ${most} places for POSTs of batches, ${mostOfChunk} for a chunk`,
        giveBackOne() {
          giveBack(Math.min(left, 1));
        },
        giveBackRest() {
          giveBack(left);
        },
      };
    },
  };
}
