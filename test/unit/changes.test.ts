import {
  changeData,
  ChangeError,
  LONGEST_CHANGE,
  mergePatch,
  validateChange,
  validateRequest,
} from '../../src/contract/changes';
import { type Step } from '../../src/contract';

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('a change makes of the data', () => {
  test.each<[string, string, Step[], string]>([
    ['sets a member', '{"a":1}', [{ at: '/b', set: 2 }], '{"a":1,"b":2}'],
    ['replaces a member whole', '{"a":{"x":1}}', [{ at: '/a', set: { y: 2 } }], '{"a":{"y":2}}'],
    ['makes missing parents', '{}', [{ at: '/a/b/c', set: 1 }], '{"a":{"b":{"c":1}}}'],
    ['makes objects before numbers too', '{}', [{ at: '/a/0/1', set: 1 }], '{"a":{"0":{"1":1}}}'],
    ['keeps a null that is set', '{"a":1}', [{ at: '/a', set: null }], '{"a":null}'],
    ['keeps nulls inside what is set', '{}', [{ at: '/a', set: { b: null } }], '{"a":{"b":null}}'],
    ['sets a list', '{}', [{ at: '/a', set: [1, null] }], '{"a":[1,null]}'],
    ['replaces a list whole', '{"a":[1,2]}', [{ at: '/a', set: [3] }], '{"a":[3]}'],
    ['sets the whole', '{"a":1}', [{ at: '', set: { b: 2 } }], '{"b":2}'],
    ['reads escapes', '{}', [{ at: '/a~1b~0c', set: 1 }], '{"a/b~c":1}'],
    ['takes the empty name', '{}', [{ at: '/', set: 1 }], '{"":1}'],
    ['removes a member', '{"a":1,"b":2}', [{ at: '/a', remove: true }], '{"b":2}'],
    ['removes a member that is null', '{"a":null}', [{ at: '/a', remove: true }], '{}'],
    ['leaves the parent of what it removes', '{"a":{"b":1}}', [{ at: '/a/b', remove: true }], '{"a":{}}'],
    ['removes what is absent', '{"a":1}', [{ at: '/b', remove: true }], '{"a":1}'],
    ['makes no parents to remove from', '{}', [{ at: '/a/b', remove: true }], '{}'],
    ['merges', '{"a":{"b":1,"c":2}}', [{ at: '/a', merge: { b: null, d: 3 } }], '{"a":{"c":2,"d":3}}'],
    ['merges into the whole', '{"a":1}', [{ at: '', merge: { b: { c: null } } }], '{"a":1,"b":{}}'],
    ['merges over what is no object', '{"a":[1]}', [{ at: '/a', merge: { b: 1 } }], '{"a":{"b":1}}'],
    [
      'makes steps in order',
      '{"a":1}',
      [
        { at: '/a', remove: true },
        { at: '/a/b', set: 1 },
        { at: '/a', merge: { c: 2 } },
      ],
      '{"a":{"b":1,"c":2}}',
    ],
    ['keeps __proto__ as data', '{"__proto__":1,"a":1}', [{ at: '/a', set: 2 }], '{"__proto__":1,"a":2}'],
    ['sets __proto__ as data', '{}', [{ at: '/__proto__/b', set: 1 }], '{"__proto__":{"b":1}}'],
    ['removes __proto__', '{"__proto__":{"b":1}}', [{ at: '/__proto__', remove: true }], '{}'],
    ['merges __proto__', '{}', [{ at: '', merge: json('{"__proto__":{"b":1}}') }], '{"__proto__":{"b":1}}'],
    [
      'does not see inherited names',
      '{}',
      [{ at: '/constructor/name', set: 1 }],
      '{"constructor":{"name":1}}',
    ],
  ])('%s, the same when made twice', (_case, before, steps, after) => {
    const data = json(before);
    const once = changeData(data, { steps });
    expect(JSON.stringify(once)).toBe(after);
    expect(JSON.stringify(changeData(once, { steps }))).toBe(after);
    expect(JSON.stringify(data)).toBe(before);
    expect(Object.prototype).not.toHaveProperty('b');
  });

  test.each<[string, string, Step, string]>([
    ['a list', '{"a":[1]}', { at: '/a/0', set: 2 }, '/a/0: /a is a list'],
    ['a text', '{"a":{"b":"x"}}', { at: '/a/b/c', set: 2 }, '/a/b/c: /a/b is a string'],
    ['null', '{"a":null}', { at: '/a/b', merge: {} }, '/a/b: /a is null'],
    ['a list to remove from', '{"a":[1]}', { at: '/a/0', remove: true }, '/a/0: /a is a list'],
    ['an escaped name', '{"a/b":1}', { at: '/a~1b/c', set: 2 }, '/a~1b/c: /a~1b is a number'],
  ])('nothing, when %s is in its way', (_case, before, step, message) => {
    const change = (): unknown => changeData(json(before), { steps: [{ at: '/z', set: 1 }, step] });
    expect(change).toThrow(ChangeError);
    expect(change).toThrow(message);
  });
});

test.each([
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
])('RFC 7396: %s merged with %s', (target, patch, result) => {
  expect(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(result);
});

describe('a change that cannot be asked for', () => {
  const deep = json(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`);

  test.each<[unknown, string[]]>([
    [null, ['change: must be an object with steps or fields']],
    [{}, ['change: changes nothing; give steps or fields']],
    [{ steps: [], fields: {} }, ['change: changes nothing; give steps or fields']],
    [{ fields: { title: undefined } }, ['change: changes nothing; give steps or fields']],
    [{ steps: {} }, ['steps: must be a list']],
    [
      { fields: { title: 1, name: 'x' }, more: 1 },
      [
        'change.more: is neither steps nor fields',
        'fields.title: must be a text',
        'fields.name: is not one of title, description, primary_type',
      ],
    ],
    [
      { steps: [{ at: 'a' }, 1, { at: '/~2', set: 1 }] },
      [
        'steps[0].at: must be a JSON pointer, like /results/banner',
        'steps[0]: must have one of set, merge, remove',
        'steps[1]: must be an object',
        'steps[2].at: must be a JSON pointer, like /results/banner',
      ],
    ],
    [{ steps: [{ at: '/a', set: 1, remove: true }] }, ['steps[0]: must have one of set, merge, remove']],
    [{ steps: [{ at: '/a', remove: false }] }, ['steps[0].remove: must be true']],
    [{ steps: [{ at: '/a', merge: [] }] }, ['steps[0].merge: must be an object']],
    [
      { steps: [{ at: '/a', put: 1 }] },
      expect.arrayContaining(['steps[0].put: is not one of at, set, merge, remove']),
    ],
    [{ steps: [{ at: '', remove: true }] }, ["steps[0].remove: would remove all of the project's data"]],
    [{ steps: [{ at: '', set: [] }] }, ['steps[0].set: the whole data must be an object']],
    [{ steps: [{ at: '/a'.repeat(201), set: 1 }] }, ['steps[0].at: is deeper than 200 levels']],
    [{ steps: [{ at: '', merge: deep }] }, ['change: is nested deeper than 200 levels']],
    [{ fields: { title: 'x'.repeat(300_001) } }, ['change: is longer than 300000 characters of JSON']],
  ])('%j', (change, problems) => {
    expect(validateChange(change)).toEqual(problems);
  });

  test('what has three bytes for each character is no longer, and still fits into a history, twice', () => {
    const change = { steps: [{ at: '/a', set: '語'.repeat(LONGEST_CHANGE - 50) }] };
    expect(validateChange(change)).toEqual([]);
    expect(2 * Buffer.byteLength(JSON.stringify(change))).toBeLessThan(2 * 1024 * 1024);
  });

  test.each([
    [undefined, 1],
    [{ changeId: '' }, 3],
    [{ project: { resourcetype: 'campaign', id: 'p' }, changeId: 'a b' }, 1],
    [{ project: { resourcetype: '', id: 1 }, changeId: 'a', space: 1 }, 3],
    [{ project: { resourcetype: 'campaign', id: 'p' }, changeId: 'a', space: null }, 0],
  ])('%j has %d problems around it', (request, count) => {
    expect(validateRequest(request)).toHaveLength(count);
  });
});
