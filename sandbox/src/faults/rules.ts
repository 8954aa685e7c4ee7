/** Which requests a fault applies to. */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import { type FaultName, faults } from '.';

const LONGEST_MS = 24 * 3_600_000;

const match = z.union(
  [
    z.strictObject({ nth: z.int().min(1) }),
    z.strictObject({ every: z.int().min(1) }),
    z.strictObject({ share: z.number().min(0).max(1), seed: z.int() }),
    z.strictObject({ requestId: z.string().min(1) }),
    z.strictObject({ path: z.string().startsWith('/') }),
  ],
  'must be one of { nth }, { every }, { share, seed }, { requestId } or { path }',
);

/** What `POST /_sandbox/faults` takes. */
export function ruleSchema(operationNames: [string, ...string[]]) {
  return z.strictObject({
    operation: z.enum([...operationNames, '*']),
    match,
    fault: z.enum(Object.keys(faults) as [FaultName, ...FaultName[]]),
    when: z.enum(['before', 'after']),
    ms: z.int().min(0).max(LONGEST_MS).optional(),
    status: z.int().min(200).max(599).optional(),
  });
}

export type RuleRequest = z.infer<ReturnType<typeof ruleSchema>>;

export interface Rule extends RuleRequest {
  id: string;
  /** Requests of its operation since it was added, and those that matched. */
  seen: number;
  hits: number;
}

/** A rule that matched a request. */
export interface Taken {
  rule: Rule;
  /** Aborted when the rule is removed: requests that it delays continue. */
  released: AbortSignal;
}

export class Rules {
  readonly #rules = new Map<string, { rule: Rule; holding: AbortController }>();
  #added = 0;

  add(request: RuleRequest): Rule {
    this.#added += 1;
    const rule: Rule = { id: `f${this.#added}`, ...request, seen: 0, hits: 0 };
    const holding = new AbortController();
    // It may delay any number of requests.
    setMaxListeners(0, holding.signal);
    this.#rules.set(rule.id, { rule, holding });
    return rule;
  }

  get all(): Rule[] {
    return [...this.#rules.values()].map(({ rule }) => rule);
  }

  remove(id: string): boolean {
    this.#rules.get(id)?.holding.abort();
    return this.#rules.delete(id);
  }

  clear(): void {
    for (const id of this.#rules.keys()) this.remove(id);
  }

  /** Every rule counts the request; the first one that matches is applied. */
  take(operation: string, request: { requestId: string | null; path: string }): Taken | undefined {
    let taken: Taken | undefined;
    for (const { rule, holding } of this.#rules.values()) {
      if (rule.operation !== '*' && rule.operation !== operation) continue;
      rule.seen += 1;
      if (!taken && isMatch(rule, request)) taken = { rule, released: holding.signal };
    }
    if (taken) taken.rule.hits += 1;
    return taken;
  }
}

function isMatch(
  { match, seen }: Rule,
  { requestId, path }: { requestId: string | null; path: string },
): boolean {
  if ('nth' in match) return seen === match.nth;
  if ('every' in match) return seen % match.every === 0;
  if ('requestId' in match) return requestId === match.requestId;
  if ('path' in match) return path === match.path;
  // Depends only on the seed and the number, so that a test can be repeated.
  const drawn = createHash('sha256').update(`${match.seed}/${seen}`).digest().readUInt32BE(0);
  return drawn / 2 ** 32 < match.share;
}
