/** Batches: one manifest, many media jobs, a few runs. */
export * from './items';
