/** What is wrong with the request of a campaign's media job, as far as it can be told before others have results. */
import { type z } from 'zod';
import { isDeeper } from '../api/json';
import { findTool, mediaTools } from '../api/tools';
import {
  DEEPEST,
  type Path,
  type Problem,
  problemText,
  referencesIn,
  unknownMember,
} from '../validation/campaign';
import { isRecord } from '../validation/inputs';

/** Where a reference stands, the value is not known yet, so nothing is said about it. Paths begin at the job. */
export function findRequestProblems(tool: string, request: unknown): Problem[] {
  const known = findTool(tool);
  const names = Object.keys(mediaTools);
  if (!known) return [{ path: ['tool'], words: `"${tool}" is none of ${names.join(', ')}` }];
  const { error } = known.request.safeParse(request, { reportInput: true });
  const unknownYet = referencesIn(request).map(({ path }) => path);
  return (error?.issues ?? [])
    .flatMap(validateIssue)
    .filter(({ path, ofName }) => ofName ?? !unknownYet.some((place) => startsWith(path, place)))
    .map((problem) => ({ ...problem, path: ['request', ...problem.path] }));
}

/** The same in words, whatever `tool` and `request` are; what is no tool's name and no request is for others to tell. */
export function validateMediaRequest(tool: unknown, request: unknown): string[] {
  if (typeof tool !== 'string' || !isRecord(request) || isDeeper(request, DEEPEST)) return [];
  return findRequestProblems(tool, request).map(problemText);
}

/** One for each field that is not known. */
function validateIssue(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownMember([...path, name]));
  const isMissing = issue.input === undefined;
  return [{ path, words: isMissing ? 'is required' : issue.message }];
}

export function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((part, index) => path[index] === part);
}
