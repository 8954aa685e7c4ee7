/** What the text of a setting means. */
import { isPointer } from '../api/json';
import { fitsHeader } from '../api/scope';
import { type Operator } from '../contract';
import { DURATION_FORM, type Duration, parseDuration } from '../contract/durations';

/** The value, or what is wrong with the text; the message begins with the setting's name. */
export type Parser<T> = (text: string) => { value: T } | { problem: string };

/** What a worker process can do, so that each can be scaled alone: only `submit` and `batch` send POSTs that cost. */
export const WORKER_ROLES = ['workflows', 'submit', 'batch'] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

export const anyText: Parser<string> = (value) => ({ value });

export const headerValue: Parser<string> = (text) =>
  fitsHeader(text) ? { value: text } : { problem: 'holds what an HTTP header cannot carry' };

/** The value itself must not be repeated in the message. */
export const secret: Parser<string> = (text) =>
  /^[\x21-\x7e]+$/.test(text)
    ? { value: text }
    : { problem: 'holds a blank or a character that an HTTP header cannot carry' };

export const httpUrl: Parser<URL> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && ['http:', 'https:'].includes(url.protocol)
    ? { value: url }
    : { problem: `"${text}" is not an http or https address` };
};

export function oneOf<Choice extends string>(choices: readonly Choice[]): Parser<Choice> {
  return (text) => {
    const value = choices.find((known) => known === text);
    return value ? { value } : { problem: `"${text}" is none of ${choices.join(', ')}` };
  };
}

export function duration(least: Duration): Parser<Duration> {
  return (text) => {
    const ms = parseDuration(text);
    if (ms === undefined) return { problem: `"${text}" is not a duration; write ${DURATION_FORM}` };
    return ms < (parseDuration(least) ?? 0)
      ? { problem: `${text} is too short; the least is ${least}` }
      : { value: text };
  };
}

export function wholeNumber(most: number): Parser<number> {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : 0;
    return value >= 1 && value <= most
      ? { value }
      : { problem: `"${text}" is not a whole number from 1 to ${most}` };
  };
}

/** How often a second; less than once is possible. */
export const rate: Parser<number> = (text) => {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  return value > 0 ? { value } : { problem: `"${text}" is not a number over 0, like 20 or 0.5` };
};

/** A moment, with its zone: the same text must not mean two moments on two machines. */
export const time: Parser<Date> = (text) =>
  TIME.test(text) && !Number.isNaN(Date.parse(text))
    ? { value: new Date(text) }
    : { problem: `"${text}" is not a time with its zone, like 2026-01-31T14:00:00Z` };

/** A path with each of the parameters in it, in braces. */
export function pathTemplate(...parameters: string[]): Parser<string> {
  return (text) => {
    const found = [...text.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');
    const isComplete =
      parameters.every((parameter) => found.includes(parameter)) && found.length === parameters.length;
    if (text.startsWith('/') && isComplete && !/[?#\s]/.test(text)) return { value: text };
    const form = `/api/v1/things/${parameters.map((parameter) => `{${parameter}}`).join('/')}`;
    return { problem: `"${text}" is not a path with ${parameters.join(' and ')} in it, like ${form}` };
  };
}

/** `#` is the whole document: its own pointer is the empty text, which a setting cannot hold. */
export const pointer: Parser<string> = (text) => {
  if (text === '#') return { value: '' };
  return isPointer(text)
    ? { value: text }
    : { problem: `"${text}" is not a JSON pointer, like /results/items` };
};

/** `USER@WORKSPACE`. A user may be an address with an @ of its own. */
export const operator: Parser<Operator> = (text) => {
  const [, userId, workspaceId] = /^(\S+)@([^\s@]+)$/.exec(text) ?? [];
  return userId !== undefined && workspaceId !== undefined
    ? { value: { userId, workspaceId } }
    : { problem: `"${text}" is not USER@WORKSPACE, like u-1@42` };
};

export const workerRoles: Parser<WorkerRole[]> = (text) => {
  const roles = text.split(',').map((role) => role.trim());
  const problem = roleProblem(roles);
  return problem === undefined ? { value: roles as WorkerRole[] } : { problem };
};

export function validateRoles(name: string, roles: readonly string[]): string[] {
  const problem = roleProblem(roles);
  return problem === undefined ? [] : [`${name}: ${problem}`];
}

function roleProblem(roles: readonly string[]): string | undefined {
  const choices = WORKER_ROLES.join(', ');
  if (roles.length === 0) return `names no role; the roles are ${choices}`;
  const unknown = roles.filter((role) => !WORKER_ROLES.some((known) => known === role));
  return unknown.length > 0
    ? `no role is called "${unknown.join('", "')}"; the roles are ${choices}`
    : undefined;
}
