/** What the writer of a shard carries when it continues as new, without a server. */
import { bytesOf } from '../../src/api/json';
import { type ChangeRequest, type WriteReport } from '../../src/contract';
import { shardOf } from '../../src/contract/ids';
import { SeenChanges } from '../../src/workflows/writer/outcomes';
import { Writer } from '../../src/workflows/writer/queue';
import { shortened } from '../../src/workflows/writer/trouble';

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
  const error = '誤'.repeat(1_000);
  writeAll(writer, () => ({ applied: [], refused: [], trouble: { error } }));
  const { projects, seen } = writer.state();
  expect(projects.length).toBeGreaterThan(500);
  expect(projects.every(({ trouble }) => trouble !== undefined)).toBe(true);
  expect(seen).toHaveLength(20_000);
  expect(bytesOf(writer.state())).toBeLessThan(LARGEST_INPUT);
});

test('P3: a run that is about to continue as new writes the other projects while a slow one keeps it', () => {
  const writer = new Writer({ organization: '1', shard: SHARD }, GRACE_MS);
  const slow = request();
  const trouble = { error: 'no answer', isSlow: true, unsettledMs: 0 };
  writer.take(slow);
  writeAll(writer, () => ({ applied: [], refused: [], trouble }));
  jest.useFakeTimers({ now: Date.now() + 60_000 });
  const hanging = writer.startGroup();
  expect(hanging?.isSlow).toBe(true);
  writer.isContinuing = true;
  const other = request();
  writer.take(other);
  writeAll(writer, (applied) => ({ applied, refused: [] }));
  expect(writer.outcomeOf(other)).toEqual({ ok: true });

  if (hanging) writer.settle(hanging, [{ applied: [], refused: [], trouble }]);
  jest.useRealTimers();
  const late = request();
  writer.take(late);
  expect(writer.startGroup()).toBeUndefined();
  expect(writer.state().projects).toHaveLength(2);
});

test('changes that come while an activity has just begun go together, and a project that hangs delays them by a second', () => {
  const writer = new Writer({ organization: '1', shard: SHARD }, GRACE_MS);
  jest.useFakeTimers();
  writer.take(request());
  expect(writer.startGroup()?.members).toHaveLength(1);
  for (let n = 0; n < 3; n++) writer.take(request());
  expect(writer.startGroup()).toBeUndefined();
  expect(writer.wakeAt()).toBeGreaterThan(Date.now());
  jest.setSystemTime(writer.wakeAt());
  expect(writer.startGroup()?.members).toHaveLength(3);
  // As many as one activity takes need not wait.
  for (let n = 0; n < 50; n++) writer.take(request());
  expect(writer.startGroup()?.members).toHaveLength(50);
  jest.useRealTimers();
});

test('P3: refused changes, however many, make no applied one be forgotten, and fit into the input of the next run', () => {
  const applied = Array.from({ length: 20_000 }, (_, n) => `applied ${n}`);
  const seen = new SeenChanges([]);
  for (const name of applied) seen.add(name, { ok: true });
  const error = shortened('誤'.repeat(500));
  for (let n = 0; n < 10_000; n++) seen.add(`refused ${n}`, { ok: false, error });
  const next = new SeenChanges(seen.state());
  expect(applied.filter((name) => next.outcomeOf(name)?.ok !== true)).toEqual([]);
  expect(next.outcomeOf('refused 9999')).toMatchObject({ ok: false, error: expect.stringContaining('誤') });
  // The rest is for the queue.
  expect(bytesOf(next.state())).toBeLessThan(LARGEST_INPUT - 1_300_000);
});

test('a result that is no list of reports settles nothing', () => {
  const writer = new Writer({ organization: '1', shard: SHARD }, GRACE_MS);
  const one = request();
  writer.take(one);
  const group = writer.startGroup();
  if (group) writer.settle(group, 'done');
  expect(writer.isWaiting(one)).toBe(true);
  expect(writer.describe(one.project).projects).toMatchObject([
    { trouble: { lastError: 'it was not written' } },
  ]);
});
