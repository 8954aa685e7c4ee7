/** The rules for what a run is asked for are the same for clients and for the run itself. */
import { outcomeOfAnswer } from '../../src/api/outcomes';
import { type MediaInput } from '../../src/contract';
import { validateChangeId } from '../../src/contract/changes';
import { validateSpec } from '../../src/runs/media';
import {
  changeIdOf,
  isKey,
  LONGEST_KEY,
  LONGEST_WORKFLOW_ID,
  recordKey,
  recordWorkflowId,
  transcriptWorkflowId,
} from '../../src/contract/ids';
import { validateRecordInput, validateTranscriptInput } from '../../src/validation/inputs';
import { readMediaSettings } from '../../src/workflows/steps/mediaJob';

const image_url = 'https://example.com/a.png';
const job: MediaInput = { key: 'k', tool: 'remove-background', request: { image_url } };
const project = { resourcetype: 'document', id: 'p' };
const notify = { userId: 'u', workspaceId: 'w' };

test.each<[string, Partial<Record<keyof MediaInput, unknown>>, string]>([
  ['a project without a type', { write: { project: { id: 'p' }, at: '/a' } }, 'write.project.resourcetype: '],
  ['a project that climbs', { write: { project: { ...project, id: '..' }, at: '/a' } }, 'write.project.id: '],
  ['no project', { write: { at: '/a' } }, 'write.project: '],
  ['no pointer', { write: { project, at: 'a' } }, 'write.at: '],
  ['the whole project', { write: { project, at: '' } }, 'write.at: '],
  ['the whole project for a failure', { write: { project, at: '/a', failedAt: '' } }, 'write.failedAt: '],
  ['a pointer that is a number', { write: { project, at: 7 } }, 'write.at: '],
  ['a write that is a text', { write: 'p:/a' }, 'write: '],
  ['a user with a blank', { notify: { ...notify, userId: 'a b' } }, 'notify.userId: '],
  ['a user that is a number', { notify: { ...notify, userId: 7 } }, 'notify.userId: '],
  ['no workspace', { notify: { userId: 'u' } }, 'notify.workspaceId: '],
  ['an event that nobody knows', { notify: { ...notify, on: ['never'] } }, 'notify.on.0: '],
  ['events that are no list', { notify: { ...notify, on: 'failed' } }, 'notify.on: '],
  ['a task with a blank before it', { taskId: ' a' }, 'taskId: '],
  ['a workspace of 101 letters', { scope: { organization: 'o'.repeat(101) } }, 'scope.organization: '],
])('%s is refused by the client and by the run', (_case, wrong, problem) => {
  const input = { ...job, ...wrong } as MediaInput;
  expect(validateSpec(input)).toEqual([expect.stringContaining(problem)]);
  expect(() => readMediaSettings(input)).toThrow(problem);
});

test.each(['', {}, 'x'.repeat(LONGEST_WORKFLOW_ID + 1), 'ä'.repeat(LONGEST_WORKFLOW_ID / 2 + 1), '\ud800'])(
  'a run that is to tell its news to %j is refused at its start',
  (reportTo) => {
    const problem = 'reportTo: must be a workflow id';
    expect(() => readMediaSettings({ ...job, reportTo } as MediaInput)).toThrow(problem);
    expect(validateTranscriptInput({ reportTo })).toContain(problem);
    expect(validateRecordInput({ kind: 'asset', id: 'a', reportTo })).toEqual([problem]);
  },
);

test('a task id with a blank inside is accepted in the answer to a POST and in an input', () => {
  const taskId = 'task 42';
  const answer = { status: 202, body: JSON.stringify({ task_id: taskId }), serviceMessage: '' };
  expect(outcomeOfAnswer(answer, String)).toMatchObject({ outcome: 'accepted', taskId });
  expect(() => readMediaSettings({ ...job, taskId })).not.toThrow();
});

test('what is left out may also be null, as other languages write it', () => {
  const input = { ...job, write: null, taskId: null, reportTo: null, notify: { ...notify, on: null } };
  expect(() => readMediaSettings(input as unknown as MediaInput)).not.toThrow();
});

test.each([undefined, 7, '', 'a b', 'a/b', 'ü', 'k'.repeat(LONGEST_KEY + 1)])(
  'a run with the key %j is refused at its start',
  (key) => {
    expect(() => readMediaSettings({ ...job, key } as MediaInput)).toThrow(/key: (must be|is required)/);
    expect(validateTranscriptInput({ key })).toContainEqual(
      expect.stringMatching(/^key: (must be|is required)/),
    );
  },
);

describe('the longest ids', () => {
  const [given, other] = ['c'.repeat(120), 'n'.repeat(120)];

  test.each([`${given}~${other}`, `${given}~${other}+999999999`, `${given}+2~${other}+2`])(
    'a key derived from the longest given ones can be run, and its change asked for',
    (key) => {
      expect(isKey(key)).toBe(true);
      for (const purpose of ['result-0a1b2c3d', 'failed-0a1b2c3d', 'cancelled-0a1b2c3d'])
        expect(validateChangeId(changeIdOf(transcriptWorkflowId(key), purpose))).toEqual([]);
    },
  );

  test('a record whose encoded id makes too long a key is refused, and one that fits is not', () => {
    const input = (id: string) => ({ kind: 'asset', id });
    expect(validateRecordInput(input('ä'.repeat(41)))).toEqual([]);
    expect(recordWorkflowId(recordKey('asset', 'ä'.repeat(41))).length).toBeLessThan(LONGEST_WORKFLOW_ID);
    expect(validateRecordInput(input('ä'.repeat(42)))).toEqual([expect.stringContaining('id: must be')]);
    expect(validateRecordInput(input('a'.repeat(200)))).toEqual([]);
    for (const id of ['\ud800', { toString: 1 }, [{ toString: 1 }]])
      expect(validateRecordInput({ kind: 'asset', id })).toEqual([expect.stringContaining('id: must be')]);
  });
});
