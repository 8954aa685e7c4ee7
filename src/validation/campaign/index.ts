/**
 * The rules of campaigns, one set for all: clients check them before they start anything, and the run itself, because
 * other languages start it too, with whatever JSON they have. Part of the workflow bundle.
 */
export * from './campaign';
export * from './fields';
export * from './orders';
export * from './references';
export * from './shape';
