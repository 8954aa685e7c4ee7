/** What one line of a manifest asks for, or everything that is wrong with it. */
import { isDeeper, truncate } from '../../api/json';
import { validateRequest } from '../../api/tools';
import { type BatchItem } from '../../contract';
import { DEEPEST } from '../../validation/campaign';
import { anyObject, text } from '../../validation/fields';
import { isRecord, isText, mediaSpecFields, withoutNulls } from '../../validation/inputs';
import { object, required, type Rule, validate } from '../../validation/rules';
import { keyOf, type MediaSpec, normalizeScope } from '../media';

export interface AskedItem {
  item: BatchItem;
  /** Whether the line names it; without a name its key is a digest. */
  isNamed: boolean;
}

/** Settings of the whole batch. */
const ofTheBatch: Rule = {
  check: (_value, path) => [{ path, message: "is the batch's, not a line's" }],
  schema: {},
};

const lineRule = object({
  ...mediaSpecFields,
  tool: required(text),
  request: required(anyObject),
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
  const { tool, request } = line;
  const isRequest = isText(tool) && isRecord(request);
  return [...validate(lineRule, line), ...(isRequest ? validateRequest(tool, request) : [])];
}

function askedItem(asked: MediaSpec): AskedItem {
  const { key, tool, request, scope, write, notify, taskId } = asked;
  return {
    item: { key: keyOf(asked), tool, request, scope: normalizeScope(scope), write, notify, taskId },
    isNamed: key !== undefined,
  };
}

const MOST_PROBLEMS = 20;
const LONGEST_PROBLEM = 300;

/** A bad line may have thousands of problems, each with a long value. */
function inBounds(problems: string[]): string[] {
  const more = problems.length - MOST_PROBLEMS;
  const shown = problems.slice(0, MOST_PROBLEMS).map((problem) => truncate(problem, LONGEST_PROBLEM));
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}
