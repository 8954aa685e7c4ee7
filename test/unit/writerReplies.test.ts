/** What one signal of a writer holds. */
import { PendingReplies } from '../../src/workflows/writer/outcomes';

test('a reply that is too long for one signal comes in several', () => {
  const replies = new PendingReplies([]);
  const ids = Array.from({ length: 2_500 }, (_unused, n) => `c${n}`);
  for (const id of ids) replies.add('media/a', id, { ok: false, error: 'x'.repeat(500) });
  const refused: string[] = [];
  while (replies.count > 0) {
    const [taken] = replies.take(20);
    expect(Buffer.byteLength(JSON.stringify(taken))).toBeLessThan(1_000_000);
    refused.push(...(taken?.reply.refused ?? []).map(({ changeId }) => changeId));
  }
  expect(refused).toEqual(ids);
});
