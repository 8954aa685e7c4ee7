import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage first, so that only reachable memory counts. */
export const collectGarbage = runInNewContext('gc') as () => void;
