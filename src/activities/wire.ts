/** The POSTs of chunks that are on their way, or about to be, in this process. */
export interface Wire {
  /** Takes places, as many as there are: nothing waits for one, since what waited here would be unknown after a crash. */
  reserve: (wanted: number) => Places;
}

export interface Places {
  /** How many there were. */
  readonly count: number;
  readonly whyNoMore: string;
  /** A POST is over. */
  giveBackOne: () => void;
  /** Nothing more is sent. */
  giveBackRest: () => void;
}

export function createWire(most = Infinity): Wire {
  let taken = 0;
  return {
    reserve(wanted) {
      const count = Math.min(wanted, most - taken);
      let left = count;
      const giveBack = (places: number): void => {
        left -= places;
        taken -= places;
      };
      taken += count;
      return {
        count,
        whyNoMore: `not sent: this worker has ${most} POSTs of batches on the wire`,
        giveBackOne() {
          giveBack(1);
        },
        giveBackRest() {
          giveBack(left);
        },
      };
    },
  };
}
