const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * The first number in a JSON text that JavaScript cannot give back: a whole one that is read as another, like an id of
 * 64 bits, or one beyond all bounds. Other fractions are not looked at: whoever wrote them had no more digits either.
 */
export function inexactNumberIn(json: string): string | undefined {
  for (const [token] of json.matchAll(TEXT_OR_NUMBER))
    if (!token.startsWith('"') && isInexact(token)) return token;
  return undefined;
}

function isInexact(token: string): boolean {
  const value = Number(token);
  return !Number.isFinite(value) || (/^-?\d{16,}$/.test(token) && BigInt(token) !== BigInt(value));
}
