/** What one line of a manifest asks for, or everything that is wrong with it. */
import { shorten } from '../../api/errors';
import { DEEPEST, isDeeper, type Problem, problemText } from '../../campaignRules';
import { type Check, isLeftOut, must, object, required } from '../../campaignRules/shape';
import { type BatchItem } from '../../contract';
import { isRecord, isText } from '../../inputs';
import { keyOf, type MediaSpec, problemsOfSpec, withoutGaps } from '../spec';

export interface AskedItem {
  item: BatchItem;
  /** Whether the line names it; without a name its key is a digest. */
  isNamed: boolean;
}

/** What is said once for all lines. */
const OF_THE_BATCH = ['poll', 'submit'];

const text = must(isText, 'a text');
const anything: Check = () => [];

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
});

export function readItem(line: string): AskedItem | { problems: string[] } {
  const { value, problem } = parse(line);
  if (problem !== undefined) return { problems: [problem] };
  if (!isRecord(value)) return { problems: ['is not a JSON object'] };
  if (isDeeper(value, DEEPEST)) return { problems: [`is nested deeper than ${DEEPEST} levels`] };
  const problems = problemsOfLine(value);
  return problems.length > 0 ? { problems: inBounds(problems) } : askedItem(value as unknown as MediaSpec);
}

function parse(line: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(line) as unknown };
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function problemsOfLine(line: Record<string, unknown>): string[] {
  const members = Object.entries(line);
  const notOfLines = members
    .filter(([name]) => OF_THE_BATCH.includes(name))
    .map(([name]) => `${name}: is the batch's, not a line's`);
  const asked = Object.fromEntries(members.filter(([name]) => !OF_THE_BATCH.includes(name)));
  const misshapen = lineShape(asked, []);
  const wrong = problemsOfSpec(wellShaped(asked, misshapen)).filter((problem) => !isTold(problem, misshapen));
  return [...notOfLines, ...misshapen.map(problemText), ...wrong];
}

/** The rules of a job are made for values of the right kind. */
function wellShaped(line: Record<string, unknown>, misshapen: Problem[]): MediaSpec {
  const isMisshapen = (name: string): boolean =>
    misshapen.some(({ path }) => path.length === 1 && path[0] === name);
  const members = Object.entries(withoutNulls(line)).filter(([name]) => !isMisshapen(name));
  return Object.fromEntries(members) as unknown as MediaSpec;
}

/** Where a value is of the wrong kind, the rules that look into it have nothing to add. */
function isTold(problem: string, misshapen: Problem[]): boolean {
  return misshapen.some(({ path }) => {
    const place = path.join('.');
    return problem.startsWith(`${place}:`) || problem.startsWith(`${place}.`);
  });
}

function askedItem(line: MediaSpec): AskedItem {
  const { key, tool, request, scope, write, notify, taskId } = withoutNulls(line);
  const item = {
    ...{ key: keyOf({ key, tool, request, scope }), tool, request },
    ...{ scope: withoutGaps(scope), write, notify, taskId },
  };
  return { item, isNamed: key !== undefined };
}

/** Other languages write null for what they leave out. */
function withoutNulls(line: object): MediaSpec {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => !isLeftOut(value))) as MediaSpec;
}

const MOST_PROBLEMS = 100;
const LONGEST_PROBLEM = 500;

/** Problems repeat what is wrong, and a line of nothing else has thousands. */
function inBounds(problems: string[]): string[] {
  const more = problems.length - MOST_PROBLEMS;
  const told = problems.slice(0, MOST_PROBLEMS).map((problem) => shorten(problem, LONGEST_PROBLEM));
  return more > 0 ? [...told, `and ${more} more`] : told;
}
