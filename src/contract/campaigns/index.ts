/** Campaigns: one spec, days of work, and the people who decide about it. */
export * from './activities';
export * from './run';
export * from './spec';
