/** Reads the values of flags. Problems are collected, so that one message names all of them. */
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { type NotifyTarget, type ProjectRef, type Scope, type WriteTarget } from '../../contract';
import { DURATION_FORM, parseDuration } from '../../contract/durations';
import { isRecord } from '../../validation/inputs';
import { reasonOf, UsageError } from './exit';
import { io, osUser } from './io';

export interface ScopeFlags {
  organization?: string;
  space?: string;
}

export function addScopeFlags(command: Command, instead = 'instead of the configured one'): Command {
  return command
    .option('--organization <id>', `workspace, ${instead}`)
    .option('--space <id>', `sub-space, ${instead}`);
}

/** Who decides or changes something. */
export function byOption(): Option {
  return new Option('--by <user>', 'who says so').default(osUser(), 'the user of this machine');
}

export function scopeFrom({ organization, space }: ScopeFlags): Scope | undefined {
  return organization === undefined && space === undefined ? undefined : { organization, space };
}

/** `1, 2,3` is three items; the check of the request refuses an empty one. */
export function listFlag(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

/** A number where it is one; the check of the request refuses anything else. */
export function softNumber(text: string): number | string {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

export function validateTimeout({ timeout }: { timeout?: string }): string[] {
  const isWrong = timeout !== undefined && parseDuration(timeout) === undefined;
  return isWrong ? [`--timeout: "${timeout}" is not ${DURATION_FORM}`] : [];
}

export function validateLimit({ limit }: { limit: unknown }): string[] {
  const isCount = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit < 1_000_000;
  return isCount ? [] : [`--limit: "${String(limit)}" is not a whole number from 1 on`];
}

/** Names the flag instead of the field. */
export function asBatchFlag(problem: string): string {
  return problem.replace(/^(?:scope\.)?(\w+)(?:\.\w+)?: /, '--$1: ');
}

export function asScheduleFlag(problem: string): string {
  return problem.replace(/^(cron|every|calendar|timezone|overlap|catchup|note|from|to): /, '--$&');
}

export function writeFrom(text: string | undefined, problems: string[]): WriteTarget | undefined {
  if (text === undefined) return undefined;
  const [, place = '', at = ''] = /^(.+?):(\/.*)$/.exec(text) ?? [];
  const project = projectFrom(place);
  if (project) return { project, at };
  problems.push(`--write: "${text}" is not TYPE/ID:/json/pointer, like campaign/7:/media/banner`);
  return undefined;
}

function projectFrom(text: string): ProjectRef | undefined {
  const [, resourcetype, id] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  return resourcetype === undefined || id === undefined ? undefined : { resourcetype, id };
}

/** The project of `--project`; undefined where the flag is not given. */
export function projectFilter({ project }: { project?: string }, problems: string[]): ProjectRef | undefined {
  const ref = project === undefined ? undefined : projectFrom(project);
  if (project !== undefined && !ref) problems.push(`--project: "${project}" is not TYPE/ID`);
  return ref;
}

/** A value that must be one of those; undefined where the flag is not given. */
export function oneOf<T extends string>(
  flag: string,
  text: string | undefined,
  known: readonly T[],
  problems: string[],
): T | undefined {
  const found = known.find((name) => name === text);
  if (text !== undefined && !found) problems.push(`${flag}: "${text}" is none of ${known.join(', ')}`);
  return found;
}

export function notifyFrom(text: string | undefined, problems: string[]): NotifyTarget | undefined {
  if (text === undefined) return undefined;
  const [, userId, workspaceId] = /^(.+)@([^@]+)$/.exec(text) ?? [];
  if (userId !== undefined && workspaceId !== undefined) return { userId, workspaceId };
  problems.push(`--notify: "${text}" is not USER@WORKSPACE`);
  return undefined;
}

/** A JSON value from a flag, or the text itself for the check of the request to refuse. */
export function softJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The text of a file, or of stdin. */
export async function readTextFile(flag: string, file: string): Promise<string> {
  if (file === '-') return textOf(io().stdin);
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${flag} ${file}: cannot be read: ${reasonOf(error)}`);
  });
}

/** A JSON object from the file that a flag names, or from stdin. */
export async function readObjectFile(flag: string, file: string): Promise<Record<string, unknown>> {
  const text = await readTextFile(flag, file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${flag} ${file}: is not JSON: ${reasonOf(error)}`);
  }
  if (!isRecord(value)) throw new UsageError(`${flag} ${file}: must be a JSON object`);
  return value;
}

/** Adds a wrong file to the problems instead of throwing. */
export async function orProblem<T>(read: Promise<T>, problems: string[], otherwise: T): Promise<T> {
  return read.catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    problems.push(error.message);
    return otherwise;
  });
}
