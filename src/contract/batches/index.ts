/** Batches: one manifest, many media jobs, a few runs. */
export * from './activities';
export * from './partition';
export * from './run';
