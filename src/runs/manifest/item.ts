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
/** What is said once for all lines. */
const ofTheBatch: Check = (_value, path) => [{ path, words: "is the batch's, not a line's" }];

/** The members that there may be; what is in them is for the rules of a job to say. */
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
  const { value, problem } = parse(line);
  if (problem !== undefined) return { problems: [problem] };
  if (!isRecord(value)) return { problems: ['is not a JSON object'] };
  if (isDeeper(value, DEEPEST)) return { problems: [`is nested deeper than ${DEEPEST} levels`] };
  const given = withoutNulls(value);
  const problems = validateLine(given);
  return problems.length > 0 ? { problems: inBounds(problems) } : askedItem(given as unknown as MediaSpec);
}

function parse(line: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(line) as unknown };
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function validateLine(line: Record<string, unknown>): string[] {
  const misshapen = lineShape(line, []);
  const wrong = validateSpec(wellShaped(line, misshapen)).filter((problem) => !isTold(problem, misshapen));
  return [...misshapen.map(problemText), ...wrong];
}

/** The rules of a job are made for values of the right kind. */
function wellShaped(line: Record<string, unknown>, misshapen: Problem[]): MediaSpec {
  const sound = { ...line };
  for (const { path } of misshapen) if (path.length === 1) Reflect.deleteProperty(sound, String(path[0]));
  return sound as unknown as MediaSpec;
}

/** Where a value is of the wrong kind, the rules that look into it have nothing to add. */
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

const MOST_PROBLEMS = 100;
const LONGEST_PROBLEM = 500;

/** Problems repeat what is wrong, and a line of nothing else has thousands. */
function inBounds(problems: string[]): string[] {
  const more = problems.length - MOST_PROBLEMS;
  const told = problems.slice(0, MOST_PROBLEMS).map((problem) => truncate(problem, LONGEST_PROBLEM));
  return more > 0 ? [...told, `and ${more} more`] : told;
}
