import { InvalidArgumentError } from 'commander';
import { PACE_FORM, type Pace, parsePace } from '../../sandbox/pace';

export function paceFlag(text: string): Pace {
  const pace = parsePace(text);
  if (!pace) throw new InvalidArgumentError(`It is ${PACE_FORM}.`);
  return pace;
}
