import { createHash } from 'node:crypto';

/** Equal values have the same digest; the order of members does not matter. */
export function digest(value: unknown): string {
  const text = JSON.stringify(value ?? null, (_name, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
