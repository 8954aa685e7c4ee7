import { PACE_FORM, type Pace, parsePace } from '@segue/sandbox';
import { UsageError } from '../lib/exit';

/** Read when the command runs: the flags are known without the package of the sandbox. */
export function readPace(text: string | undefined): Pace | undefined {
  if (text === undefined) return undefined;
  const pace = parsePace(text);
  if (!pace) throw new UsageError(`--pace ${text} is invalid: it is ${PACE_FORM}`);
  return pace;
}
