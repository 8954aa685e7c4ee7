import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** What nobody holds any more does not count. */
export const collectGarbage = runInNewContext('gc') as () => void;
