/** Reads the values of flags. Problems are collected, so that one message names all of them. */
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type MediaInput,
  type NotifyTarget,
  type ProjectRef,
  type Scope,
  type WriteTarget,
} from '../../contract';
import { DURATION_FORM, parseDuration } from '../../contract/durations';
import { isRecord } from '../../validation/inputs';
import { io, osUser, reasonOf, UsageError } from './io';

export interface ScopeFlags {
  organization?: string;
  space?: string;
}

export function addScopeFlags(command: Command, instead = 'instead of the configured one'): Command {
  return command
    .option('--organization <id>', `workspace, ${instead}`)
    .option('--space <id>', `sub-space, ${instead}`);
}

export function byOption(): Option {
  return new Option('--by <user>', 'who decides').default(osUser(), 'the user of this machine');
}

export function scopeFrom({ organization, space }: ScopeFlags): Scope | undefined {
  return organization === undefined && space === undefined ? undefined : { organization, space };
}

export interface TargetFlags extends ScopeFlags {
  write?: string;
  notify?: string;
}

/** Where the result of a job goes; `example` is a path in a project. */
export function addTargetFlags(command: Command, example: string): Command {
  return command
    .option('--write <type/id:/pointer>', `set the result in a project's data, like ${example}`)
    .option('--notify <user@workspace>', 'notify this user at the end, and when a person is needed');
}

export function targetsFrom(
  flags: TargetFlags,
  problems: string[],
): Pick<MediaInput, 'scope' | 'write' | 'notify'> {
  const write = writeFrom(flags.write, problems);
  return { scope: scopeFrom(flags), write, notify: notifyFrom(flags.notify, problems) };
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

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,9}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It is not a whole number from ${least} to ${most}.`);
  };
}

export const limitFlag = wholeNumber(1, 999_999);

/** Problems of fields as those of flags; `others` names what is no flag, or another one. */
export function asFlags(problems: string[], others: Record<string, string> = {}): string[] {
  const named = (_match: string, field: string): string => `${others[field] ?? `--${field}`}: `;
  return problems.map((problem) => problem.replace(/^(?:scope\.)?(\w+)(?:\.\w+)?: /, named));
}

function writeFrom(text: string | undefined, problems: string[]): WriteTarget | undefined {
  if (text === undefined) return undefined;
  const [, target = '', at = ''] = /^(.+?):(\/.*)$/.exec(text) ?? [];
  const project = projectFrom(target);
  if (project) return { project, at };
  problems.push(`--write: "${text}" is not TYPE/ID:/json/pointer, like campaign/7:/media/banner`);
  return undefined;
}

function projectFrom(text: string): ProjectRef | undefined {
  const [, resourcetype, id] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  return resourcetype === undefined || id === undefined ? undefined : { resourcetype, id };
}

export function projectFlag(text: string): ProjectRef {
  const project = projectFrom(text);
  if (!project) throw new InvalidArgumentError('It is not TYPE/ID.');
  return project;
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

export async function readTextFile(flag: string, file: string): Promise<string> {
  if (file === '-') return textOf(io().stdin);
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${flag} ${file}: cannot be read: ${reasonOf(error)}`);
  });
}

export async function readObjectFile(flag: string, file: string): Promise<Record<string, unknown>> {
  return objectFrom(`${flag} ${file}`, await readTextFile(flag, file));
}

export function objectFrom(name: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new UsageError(`${name}: is not JSON: ${reasonOf(error)}`);
  }
  throw new UsageError(`${name}: must be a JSON object`);
}

/** Adds wrong usage to the problems instead of throwing. */
export async function orProblem<T>(read: Promise<T>, problems: string[], otherwise: T): Promise<T> {
  return read.catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    problems.push(error.message);
    return otherwise;
  });
}
