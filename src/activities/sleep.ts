/** For a wait that an attempt must not leave when it is cancelled: it may be the last one, and nobody gets its note. */
export { setTimeout as sleepThroughCancellation } from 'node:timers/promises';
