/** What became of changes: outcomes that are known for an hour, and replies to the runs that asked for them. */
import { type ChangeOutcome, type SeenChange, type WriterProgress, type WriterReply } from '../../contract';
import { shortDigest } from '../../contract/ids';

const SEEN_MINUTES = 60;
const MOST_SEEN = 20_000;
/** In characters, for what is carried when the run continues as new: errors are longer than digests. */
const LARGEST_SEEN = 700_000;
const LENGTH_WITHOUT_ERROR = 32;

/** Settled changes, oldest first. One that is asked for again is answered, and not made again. */
export class SeenChanges {
  readonly #seen = new Map<string, SeenChange>();
  #length = 0;

  constructor(carried: SeenChange[]) {
    for (const change of carried) this.#add(change);
  }

  /** `name` is that of the project and the change. */
  outcomeOf(name: string): ChangeOutcome | undefined {
    const seen = this.#seen.get(shortDigest(name));
    if (!seen) return undefined;
    const [, , error] = seen;
    return error === undefined ? { ok: true } : { ok: false, error };
  }

  add(name: string, outcome: ChangeOutcome): void {
    const minute = Math.floor(Date.now() / 60_000);
    const digest = shortDigest(name);
    this.#add(outcome.ok ? [digest, minute] : [digest, minute, outcome.error]);
    for (const change of this.#seen.values()) {
      const [oldest, itsMinute] = change;
      const fits = this.#seen.size <= MOST_SEEN && this.#length <= LARGEST_SEEN;
      if (fits && itsMinute >= minute - SEEN_MINUTES) return;
      this.#seen.delete(oldest);
      this.#length -= lengthOf(change);
    }
  }

  #add(change: SeenChange): void {
    this.#seen.set(change[0], change);
    this.#length += lengthOf(change);
  }

  state(): SeenChange[] {
    return [...this.#seen.values()];
  }
}

function lengthOf([, , error = '']: SeenChange): number {
  return LENGTH_WITHOUT_ERROR + error.length;
}

/** Outcomes that are not signalled yet: one reply for each run. */
export class PendingReplies {
  readonly #replies: Map<string, WriterReply>;

  constructor(carried: WriterProgress['replies']) {
    this.#replies = new Map(carried.map(({ replyTo, reply }) => [replyTo, reply]));
  }

  get count(): number {
    return this.#replies.size;
  }

  /** A reply to nobody is lost. */
  to(replyTo: string | undefined): WriterReply {
    const open = replyTo === undefined ? undefined : this.#replies.get(replyTo);
    if (open) return open;
    const reply: WriterReply = { applied: [], refused: [], noRoom: [], unknown: [] };
    if (replyTo !== undefined) this.#replies.set(replyTo, reply);
    return reply;
  }

  add(replyTo: string | undefined, changeId: string, outcome: ChangeOutcome): void {
    const { applied, refused } = this.to(replyTo);
    if (outcome.ok) applied.push(changeId);
    else refused.push({ changeId, error: outcome.error });
  }

  take(most: number): WriterProgress['replies'] {
    const some = this.state().slice(0, most);
    for (const { replyTo } of some) this.#replies.delete(replyTo);
    return some;
  }

  state(): WriterProgress['replies'] {
    return [...this.#replies].map(([replyTo, reply]) => ({ replyTo, reply }));
  }
}
