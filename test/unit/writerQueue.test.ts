/** What the writer of a shard carries when it continues as new, without a server. */
import { bytesOf } from '../../src/api/json';
import { type ChangeRequest, type WriteReport } from '../../src/contract';
import { shardOf } from '../../src/contract/ids';
import { Writer } from '../../src/workflows/writer/queue';

/** What a workflow may hand to its next run. */
const LARGEST_INPUT = 2 * 1024 * 1024;
const SHARD = 7;
const GRACE_MS = 3_600_000;

let made = 0;
function request(): ChangeRequest {
  for (;;) {
    const project = { resourcetype: 'campaign', id: `a-project-with-a-long-id-${made++}` };
    if (shardOf(project) !== SHARD) continue;
    return { project, changeId: `batch-part/spring~1#${made}`, change: { fields: { title: '' } } };
  }
}

/** Writes all that can be written, and ends each activity with this report. */
function writeAll(writer: Writer, report: (changeIds: string[]) => WriteReport): void {
  for (let group = writer.startGroup(); group; group = writer.startGroup())
    writer.settle(
      group,
      group.members.map(({ changes }) => report(changes.map(({ changeId }) => changeId))),
    );
}

test('P3: a full writer with trouble in all projects fits into the input of its next run', () => {
  const writer = new Writer({ organization: '1', shard: SHARD }, GRACE_MS);
  for (let settled = 0; settled < 20_000;) {
    for (let n = 0; n < 500; n++, settled++) writer.take(request());
    writeAll(writer, (applied) => ({ applied, refused: [] }));
  }
  const replyTo = 'batch-part/spring~1';
  while (writer.replies.count === 0) {
    const one = request();
    writer.take(one, replyTo);
    if (!writer.isWaiting(one)) break;
  }
  writer.replies.take(Infinity);
  const error = 'é'.repeat(1_000);
  writeAll(writer, () => ({ applied: [], refused: [], trouble: { error } }));
  const { projects, seen } = writer.state();
  expect(projects.length).toBeGreaterThan(500);
  expect(projects.every(({ trouble }) => trouble !== undefined)).toBe(true);
  expect(seen).toHaveLength(20_000);
  expect(bytesOf(writer.state())).toBeLessThan(LARGEST_INPUT);
});

test('a result that is no list of reports settles nothing', () => {
  const writer = new Writer({ organization: '1', shard: SHARD }, GRACE_MS);
  const one = request();
  writer.take(one);
  const group = writer.startGroup();
  if (group) writer.settle(group, 'done' as unknown as WriteReport[]);
  expect(writer.isWaiting(one)).toBe(true);
  expect(writer.describe(one.project).projects).toMatchObject([
    { trouble: { lastError: 'it was not written' } },
  ]);
});
