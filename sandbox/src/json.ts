/** JSON bodies, and which of them can be stored and answered again without a change. */
const DEEPEST = 200;

/** Strict, so that invalid UTF-8 is rejected and not replaced. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function parseJson(body: Buffer | undefined): { value: unknown } | { problem: string } {
  if (!body || body.length === 0) return { problem: 'is missing' };
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message}` };
  }
  const problem = unkeepable(value);
  return problem === undefined ? { value } : { problem };
}

/** Why writing the value again would fail or change it. Level by level: recursion would end where the value does not. */
function unkeepable(value: unknown): string | undefined {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return `is nested more than ${DEEPEST} levels deep`;
    if (level.some((item) => typeof item === 'number' && !Number.isFinite(item))) {
      return 'holds a number that is too large';
    }
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return undefined;
}
