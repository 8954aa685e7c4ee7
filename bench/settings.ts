/** What all ways are measured with. */

/** Of both workers' heaps, in MiB, as in the Dockerfile: Node lets them grow far beyond what is in use. */
export const HEAP_MIB = 512;
/** glibc keeps what each thread gave back, as the Dockerfile says. */
export const MEMORY = { MALLOC_ARENA_MAX: '2' };
/** Before every answer to a POST. */
export const POST_LATENCY_MS = 50;
/** Half of them are for batches. */
export const SUBMITS_ON_WIRE = 200;
/** The service wants 15 to 20 s; with that one would measure timers. */
export const POLL_EVERY_MS = 1_000;
/** Items of a batch, or of the plain script, at the service at once. */
export const CONCURRENCY = 2_000;
/** Runs that are started one by one: so many starts are in flight at once. */
export const STARTS_AT_ONCE = 50;
/** What the service knows its key by. */
export const WORKSPACE = '1';

export const SHAPES = {
  each: { name: 'a project each', itemsOfProject: 1 },
  fifty: { name: '50 items a project', itemsOfProject: 50 },
  one: { name: 'one project', itemsOfProject: Infinity },
};
export type Shape = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];
