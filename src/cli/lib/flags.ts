/** Reads what a person writes after a flag. A problem is collected, so that one message names all of them. */
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { type Command } from 'commander';
import { type NotifyTarget, type ProjectRef, type Scope, type WriteTarget } from '../../contract';
import { DURATION_FORM, parseDuration } from '../../contract/durations';
import { reasonOf, UsageError } from './exit';
import { io } from './io';

export interface ScopeFlags {
  organization?: string;
  space?: string;
}

export function addScopeFlags(command: Command, instead = 'instead of the configured one'): Command {
  return command
    .option('--organization <id>', `workspace, ${instead}`)
    .option('--space <id>', `sub-space, ${instead}`);
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

/** Names the flag of a batch instead of the field. */
export function asBatchFlag(problem: string): string {
  return problem.replace(/^(?:scope\.)?(\w+)(?:\.\w+)?: /, '--$1: ');
}

export function writeFrom(text: string | undefined, problems: string[]): WriteTarget | undefined {
  if (text === undefined) return undefined;
  const [, place = '', at = ''] = /^(.+?):(\/.*)$/.exec(text) ?? [];
  const project = projectFrom(place);
  if (project) return { project, at };
  problems.push(`--write: "${text}" is not TYPE/ID:/json/pointer, like campaign/7:/media/banner`);
  return undefined;
}

export function projectFrom(text: string): ProjectRef | undefined {
  const [, resourcetype, id] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  return resourcetype === undefined || id === undefined ? undefined : { resourcetype, id };
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

/** What a file holds, or stdin. */
export async function readTextFile(flag: string, file: string): Promise<string> {
  if (file === '-') return textOf(io().stdin);
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${flag} ${file}: cannot be read: ${reasonOf(error)}`);
  });
}

export async function readRequestFile(file: string): Promise<Record<string, unknown>> {
  return readObjectFile('--input', file, 'with the fields of the request');
}

/** A JSON object from the file that a flag names, or from stdin. */
export async function readObjectFile(
  flag: string,
  file: string,
  what: string,
): Promise<Record<string, unknown>> {
  const content = await readTextFile(flag, file);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new UsageError(`${flag} ${file}: is not JSON: ${reasonOf(error)}`);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new UsageError(`${flag} ${file}: must be a JSON object ${what}`);
  return value as Record<string, unknown>;
}

/** Adds a wrong file to the problems instead of throwing. */
export async function orProblem<T>(read: Promise<T>, problems: string[], otherwise: T): Promise<T> {
  return read.catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    problems.push(error.message);
    return otherwise;
  });
}
