/** What became of changes: outcomes that are known for an hour, and replies to the runs that asked for them. */
import { type ChangeOutcome, type SeenChange, type WriterReply } from '../../contract';
import { shortDigest } from '../../contract/ids';

/** A change that is asked for again within this time is not made again. */
const SEEN_MINUTES = 60;
const MOST_SEEN = 20_000;

/** Settled changes, oldest first, by a digest of project and change id. */
export class SeenChanges {
  readonly #seen: Map<string, SeenChange>;

  constructor(carried: SeenChange[]) {
    this.#seen = new Map(carried.map((change) => [change[0], change]));
  }

  outcomeOf(name: string): ChangeOutcome | undefined {
    const seen = this.#seen.get(shortDigest(name));
    if (!seen) return undefined;
    const [, , error] = seen;
    return error === undefined ? { ok: true } : { ok: false, error };
  }

  add(name: string, outcome: ChangeOutcome): void {
    const digest = shortDigest(name);
    const minute = Math.floor(Date.now() / 60_000);
    this.#seen.set(digest, outcome.ok ? [digest, minute] : [digest, minute, outcome.error]);
    for (const [oldest, [, itsMinute]] of this.#seen) {
      if (itsMinute >= minute - SEEN_MINUTES && this.#seen.size <= MOST_SEEN) return;
      this.#seen.delete(oldest);
    }
  }

  state(): SeenChange[] {
    return [...this.#seen.values()];
  }
}

export interface PendingReply {
  replyTo: string;
  reply: WriterReply;
}

/** Outcomes that are not signalled yet: one reply for each run. */
export class PendingReplies {
  readonly #replies: Map<string, WriterReply>;

  constructor(carried: PendingReply[]) {
    this.#replies = new Map(carried.map(({ replyTo, reply }) => [replyTo, reply]));
  }

  get count(): number {
    return this.#replies.size;
  }

  /** What is added to the reply for nobody is lost. */
  for(replyTo: string | undefined): WriterReply {
    const known = replyTo === undefined ? undefined : this.#replies.get(replyTo);
    if (known) return known;
    const reply: WriterReply = { applied: [], refused: [], noRoom: [], unknown: [] };
    if (replyTo !== undefined) this.#replies.set(replyTo, reply);
    return reply;
  }

  add(replyTo: string | undefined, changeId: string, outcome: ChangeOutcome): void {
    const reply = this.for(replyTo);
    if (outcome.ok) reply.applied.push(changeId);
    else reply.refused.push({ changeId, error: outcome.error });
  }

  take(most: number): PendingReply[] {
    const replies = this.state().slice(0, most);
    for (const { replyTo } of replies) this.#replies.delete(replyTo);
    return replies;
  }

  state(): PendingReply[] {
    return [...this.#replies].map(([replyTo, reply]) => ({ replyTo, reply }));
  }
}
