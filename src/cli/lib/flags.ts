/** What a person writes after a flag, read. */
import { InvalidArgumentError } from 'commander';
import { DURATION_FORM, parseDuration } from '../../contract/durations';

/** `1, 2,3` is three items; an empty one is for the request's own check to refuse. */
export function listFlag(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

/** A number where it is one; anything else is for the request's own check to refuse. */
export function softNumber(text: string): number | string {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

export function countFlag(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1 on.');
  return Number(text);
}

/** What is wrong with the flags of any command that waits. */
export function problemsOfTimeout({ timeout }: { timeout?: string }): string[] {
  const isWrong = timeout !== undefined && parseDuration(timeout) === undefined;
  return isWrong ? [`--timeout: "${timeout}" is not ${DURATION_FORM}`] : [];
}

/** What is wrong with what a batch is asked for, told as of the flags that say it. */
export function asBatchFlag(problem: string): string {
  return problem.replace(/^(?:scope\.)?(\w+)(?:\.\w+)?: /, '--$1: ');
}

/** What is wrong with the flags of any command that lists. */
export function problemsOfLimit({ limit }: { limit: unknown }): string[] {
  const isCount = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit < 1_000_000;
  return isCount ? [] : [`--limit: "${String(limit)}" is not a whole number from 1 on`];
}

export function durationFlag(text: string): string {
  if (parseDuration(text) === undefined) throw new InvalidArgumentError(`It is ${DURATION_FORM}.`);
  return text;
}
