import { type SubmitOutcome } from '../contract';

/** The POSTs of chunks that are on their way, in this process. */
export interface Wire {
  /** Sends, or answers "not sent" at once where there is no room: what waited here would be unknown after a crash. */
  send: (post: () => Promise<SubmitOutcome>) => Promise<SubmitOutcome>;
}

export function createWire(most = Infinity): Wire {
  let taken = 0;
  return {
    async send(post) {
      if (taken >= most)
        return {
          outcome: 'notSent',
          reason: `not sent: this worker has ${most} POSTs of batches on the wire`,
        };
      taken += 1;
      try {
        return await post();
      } finally {
        taken -= 1;
      }
    },
  };
}
