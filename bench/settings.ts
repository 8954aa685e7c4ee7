/** Settings of all rows. */

/** Heap limit of a worker, in MiB, as in the Dockerfile: by default the heap grows far beyond what is in use. */
export const HEAP_MIB = 512;
/** glibc keeps freed memory for each thread; the Dockerfile explains it. */
export const MEMORY = { MALLOC_ARENA_MAX: '2' };
/** The delay before every answer to a POST. */
export const POST_LATENCY_MS = 50;
/** Batches get half of them. */
export const SUBMITS_ON_WIRE = 200;
/** With the usual 15 to 20 s, the benchmark would measure timers. */
export const POLL_EVERY_MS = 1_000;
/** How many items of a batch, or of the plain script, are at the service at the same time. */
export const CONCURRENCY = 2_000;
/** How many starts of single runs are in flight at the same time. */
export const STARTS_AT_ONCE = 50;
/** The workspace of the API key. */
export const WORKSPACE = '1';

export const SHAPES = {
  each: { name: 'a project each', itemsOfProject: 1 },
  fifty: { name: '50 items a project', itemsOfProject: 50 },
  one: { name: 'one project', itemsOfProject: Infinity },
};
export type Shape = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];
