/** A line of a manifest is a media job, or is told everything that is wrong with it. */
import { readItem } from '../../../src/runs/manifest/item';
import { keyOf } from '../../../src/runs/media';
import { IMAGE, line, TOOL } from '../../support/builders/manifestLines';

function problemsIn(text: string): string[] {
  const read = readItem(text);
  return 'problems' in read ? read.problems : [];
}

describe('a line', () => {
  test('is a media job; without a key it has the one that the job alone would have', () => {
    const asked = {
      tool: TOOL,
      request: { image_url: IMAGE },
      scope: { organization: '42' },
      write: { project: { resourcetype: 'campaign', id: '7' }, at: '/a' },
      notify: { userId: 'u', workspaceId: '42', link: 'https://example.com' },
      taskId: 't-1',
    };
    expect(readItem(JSON.stringify(asked))).toEqual({
      item: { key: keyOf(asked), ...asked },
      isNamed: false,
    });
    expect(readItem(line({ key: 'mug-1' }))).toEqual({
      item: { key: 'mug-1', tool: TOOL, request: { image_url: IMAGE } },
      isNamed: true,
    });
  });

  test('may have null for what it leaves out, as other languages write it', () => {
    const nulls = { key: null, scope: null, write: null, notify: null, taskId: null };
    expect(readItem(line(nulls))).toEqual(readItem(line()));
    expect(readItem(line({ scope: { organization: null } }))).toEqual(readItem(line()));
  });

  test('is told everything that is wrong with it at once', () => {
    const wrong = {
      key: 'no blanks',
      tol: TOOL,
      tool: TOOL,
      request: { image_url: 'ftp://x', magic_crop: 'yes' },
      scope: { organisation: '42', space: 7 },
      poll: { min: '1s' },
      submit: {},
      write: { project: { resourcetype: 'campaign', id: '7', name: 'x' }, at: 'a', faildAt: '/b' },
      notify: { userId: 'u', link: 1 },
      taskId: 7,
    };
    expect(problemsIn(JSON.stringify(wrong))).toEqual([
      'tol: is not known here',
      'key: must be 1 to 120 letters, digits, dots, underscores or hyphens',
      'scope.organisation: is not known here',
      'scope.space: must be a text: put it in quotes, "7"',
      'write.faildAt: is not known here',
      'write.project.name: is not known here',
      'write.at: must be a JSON pointer into the project, like /media/banner',
      'notify.workspaceId: is required',
      'notify.link: must be a text: put it in quotes, "1"',
      'taskId: must be a text: put it in quotes, "7"',
      "poll: is the batch's, not a line's",
      "submit: is the batch's, not a line's",
      'image_url: must be an http, https or data URL',
      'magic_crop: Invalid input: expected boolean, received string',
    ]);
  });

  test.each<[string, string, string[]]>([
    ['no JSON', '{"tool"', [expect.stringMatching(/^is not JSON: /)]],
    ['a list', '[]', ['is not a JSON object']],
    ['a text', '"x"', ['is not a JSON object']],
    ['null', 'null', ['is not a JSON object']],
    ['nothing in it', '{}', ['tool: is required', 'request: is required']],
    ['an unknown tool', line({ tool: 'x' }), [expect.stringMatching(/^tool: "x" is not one of/)]],
    ['a key that is a number', line({ key: 7 }), ['key: must be a text: put it in quotes, "7"']],
    ['an empty key', line({ key: '' }), [expect.stringMatching(/^key: must be 1 to 120/)]],
    ['a scope that is a text', line({ scope: '42' }), ['scope: must be an object']],
    ['a request that is a list', line({ request: [] }), ['request: must be an object']],
    ['a tool that is no text', line({ tool: { toString: 1 } }), ['tool: must be a text']],
    [
      'a key that is no text',
      line({ key: { toString: 1 } }),
      [expect.stringMatching(/^key: must be 1 to 120/)],
    ],
    ['a prototype', `{"__proto__":{},${line().slice(1)}`, ['__proto__: is not known here']],
    [
      'no floor',
      `{"request":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      ['is nested deeper than 100 levels'],
    ],
  ])('with %s', (_name, text, problems) => {
    expect(problemsIn(text)).toEqual(problems);
  });

  test('that is wrong a thousand times is told the first twenty, and no novel', () => {
    const members = Array.from({ length: 1_000 }, (_, n) => [`x${n}`, 1] as const);
    const problems = problemsIn(line(Object.fromEntries(members)));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe('and 980 more');
    expect(problemsIn(line({ key: 'k'.repeat(50_000) })).join('').length).toBeLessThan(400);
  });
});
