import { nudgeWorkflowId } from '../../src/contract/ids';

const nudge = {
  organization: '1',
  project: { resourcetype: 'campaign', id: '7' },
  at: '/outlook',
  week: '2026-W03',
};

test('a nudge of a long board name has an id that the server takes, one for each board', () => {
  const ids = ['ä', 'ö'].map((letter) =>
    nudgeWorkflowId({ ...nudge, subject: `board ${'a'.repeat(1_200)}${letter}` }),
  );
  for (const id of ids) expect(Buffer.byteLength(id)).toBeLessThanOrEqual(1_000);
  expect(new Set(ids).size).toBe(2);
});
