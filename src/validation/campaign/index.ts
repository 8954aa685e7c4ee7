/**
 * Rules of campaigns. Clients check a spec before they start anything, and the run checks it again, because other
 * languages start it too. Part of the workflow bundle.
 */
export * from '../rules';
export * from './spec';
export * from './orders';
export * from './references';
