/** What a person writes after a flag, read. */
import { InvalidArgumentError } from 'commander';
import { DURATION_FORM, parseDuration } from '../durations';

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

export function durationFlag(text: string): string {
  if (parseDuration(text) === undefined) throw new InvalidArgumentError(`It is ${DURATION_FORM}.`);
  return text;
}
