/** Campaigns: one spec, days of work, and the people who decide about it. */
export * from './activities';
export * from './decisions';
export * from './findings';
export * from './messages';
export * from './run';
export * from './spec';
export * from './stages';
