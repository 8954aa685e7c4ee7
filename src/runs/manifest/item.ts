/** What one line of a manifest asks for, or everything that is wrong with it. */
import { isDeeper, truncate } from '../../api/json';
import { DEEPEST, type Problem, problemText } from '../../validation/campaign';
import { type Check, must, object, required } from '../../validation/campaign/shape';
import { isRecord, isText, withoutNulls } from '../../validation/inputs';
import { type BatchItem } from '../../contract';
import { keyOf, type MediaSpec, validateSpec, withoutGaps } from '../media';

export interface AskedItem {
  item: BatchItem;
  /** Whether the line names it; without a name its key is a digest. */
  isNamed: boolean;
}

const text = must(isText, 'a text');
const anything: Check = () => [];
/** Settings of the whole batch. */
const ofTheBatch: Check = (_value, path) => [{ path, words: "is the batch's, not a line's" }];

/** The fields of a line; `validateSpec` checks their values. */
const lineShape = object({
  key: must((value) => typeof value === 'string', 'a text'),
  tool: required(text),
  request: required(must(isRecord, 'an object')),
  scope: object({ organization: anything, space: anything }),
  write: object({
    project: object({ resourcetype: anything, id: anything }),
    at: anything,
    failedAt: anything,
  }),
  notify: object({
    ...{ userId: anything, workspaceId: anything, on: anything },
    ...{ threadId: text, link: text, ctaLabel: text },
  }),
  taskId: anything,
  poll: ofTheBatch,
  submit: ofTheBatch,
});

export function readItem(line: string): AskedItem | { problems: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { problems: [`is not JSON: ${(error as SyntaxError).message}`] };
  }
  if (!isRecord(value)) return { problems: ['is not a JSON object'] };
  if (isDeeper(value, DEEPEST)) return { problems: [`is nested deeper than ${DEEPEST} levels`] };
  const given = withoutNulls(value);
  const problems = validateLine(given);
  return problems.length > 0 ? { problems: inBounds(problems) } : askedItem(given as unknown as MediaSpec);
}

function validateLine(line: Record<string, unknown>): string[] {
  const misshapen = lineShape(line, []);
  const wrong = validateSpec(wellShaped(line, misshapen)).filter((problem) => !isTold(problem, misshapen));
  return [...misshapen.map(problemText), ...wrong];
}

/** `validateSpec` expects values of the right type. */
function wellShaped(line: Record<string, unknown>, misshapen: Problem[]): MediaSpec {
  const sound = { ...line };
  for (const { path } of misshapen) if (path.length === 1) Reflect.deleteProperty(sound, String(path[0]));
  return sound as unknown as MediaSpec;
}

/** A value of the wrong type is one problem, not two. */
function isTold(problem: string, misshapen: Problem[]): boolean {
  return misshapen.some(({ path }) => {
    const place = path.join('.');
    return problem.startsWith(`${place}:`) || problem.startsWith(`${place}.`);
  });
}

function askedItem(asked: MediaSpec): AskedItem {
  const { key, tool, request, scope, write, notify, taskId } = asked;
  return {
    item: { key: keyOf(asked), tool, request, scope: withoutGaps(scope), write, notify, taskId },
    isNamed: key !== undefined,
  };
}

const MOST_PROBLEMS = 20;
const LONGEST_PROBLEM = 300;

/** A bad line may have thousands of problems, each with a long value. */
function inBounds(problems: string[]): string[] {
  const more = problems.length - MOST_PROBLEMS;
  const told = problems.slice(0, MOST_PROBLEMS).map((problem) => truncate(problem, LONGEST_PROBLEM));
  return more > 0 ? [...told, `and ${more} more`] : told;
}
