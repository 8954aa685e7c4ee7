import { isGivenKey } from '../../contract/ids';
import { digest } from '../../platform/digest';

const SUFFIX = '-next';
const LONGEST_START = 120 - SUFFIX.length;

/**
 * A key that a person may give to the run that goes on where another was stopped; the same each time, so that one run
 * does. Of a key that is none a person may give (`spring~banner`), the digest keeps it apart from those that look alike.
 */
export function successorKey(key: string): string {
  if (isGivenKey(key) && key.length <= LONGEST_START) return `${key}${SUFFIX}`;
  const mark = `-${digest(key).slice(0, 12)}`;
  const start = key.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, LONGEST_START - mark.length);
  return `${start}${mark}${SUFFIX}`;
}
