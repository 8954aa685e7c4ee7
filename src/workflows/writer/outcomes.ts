/** What became of changes: outcomes that are known for an hour, and replies to the runs that asked for them. */
import { bytesOf } from '../../api/json';
import { type ChangeOutcome, type SeenChange, type WriterProgress, type WriterReply } from '../../contract';
import { shortDigest } from '../../contract/ids';

const SEEN_MINUTES = 60;
const MOST_APPLIED = 20_000;
/** Errors are longer than digests, and what is kept here is carried when the run continues as new. */
const MOST_REFUSED_BYTES = 120_000;
/** Of one signal: errors of up to 500 bytes must fit. */
const MOST_REFUSED = 500;

/** Settled changes, oldest first. One that is asked for again is answered, and not made again. */
export class SeenChanges {
  readonly #applied = new Map<string, SeenChange>();
  /** Apart: many refusals must not make an applied change be forgotten and made again. */
  readonly #refused = new Map<string, SeenChange>();
  #refusedBytes = 0;

  constructor(carried: SeenChange[]) {
    for (const change of carried) this.#add(change);
  }

  /** `name` is that of the project and the change. */
  outcomeOf(name: string): ChangeOutcome | undefined {
    const digest = shortDigest(name);
    const [, , error] = this.#refused.get(digest) ?? [];
    if (error !== undefined) return { ok: false, error };
    return this.#applied.has(digest) ? { ok: true } : undefined;
  }

  add(name: string, outcome: ChangeOutcome): void {
    const minute = Math.floor(Date.now() / 60_000);
    const digest = shortDigest(name);
    this.#add(outcome.ok ? [digest, minute] : [digest, minute, outcome.error]);
    const isOld = ([, itsMinute]: SeenChange): boolean => itsMinute < minute - SEEN_MINUTES;
    for (const change of this.#applied.values()) {
      if (this.#applied.size <= MOST_APPLIED && !isOld(change)) break;
      this.#applied.delete(change[0]);
    }
    for (const change of this.#refused.values()) {
      if (this.#refusedBytes <= MOST_REFUSED_BYTES && !isOld(change)) break;
      this.#refused.delete(change[0]);
      this.#refusedBytes -= bytesOf(change);
    }
  }

  #add(change: SeenChange): void {
    const [digest, , error] = change;
    if (error === undefined) this.#applied.set(digest, change);
    else {
      this.#refused.set(digest, change);
      this.#refusedBytes += bytesOf(change);
    }
  }

  state(): SeenChange[] {
    return [...this.#applied.values(), ...this.#refused.values()];
  }
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
    else refused.push({ changeId, error: outcome.error, wholeProject: outcome.wholeProject });
  }

  /** Some of them. Refusals that do not fit one signal come with the next. */
  take(most: number): WriterProgress['replies'] {
    const some = this.state().slice(0, most);
    for (const { replyTo, reply } of some) {
      this.#replies.delete(replyTo);
      const rest = reply.refused.splice(MOST_REFUSED);
      if (rest.length > 0) this.to(replyTo).refused.push(...rest);
    }
    return some;
  }

  state(): WriterProgress['replies'] {
    return [...this.#replies].map(([replyTo, reply]) => ({ replyTo, reply }));
  }
}
