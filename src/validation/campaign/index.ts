/**
 * The rules of campaigns, one set for all: clients check them before they start anything, and the run itself, because
 * other languages start it too, with whatever JSON they have. Part of the workflow bundle.
 */
export * from './campaign';
export {
  isJobName,
  isWait,
  JOB_NAME_FORM,
  LONGEST_WAIT_DAYS,
  MOST_AT_ONCE,
  MOST_READ,
  WAIT_FORM,
} from './fields';
export * from './orders';
export { type Path, type Problem, problemsWithin, problemText, unknownMember } from './shape';
export {
  type GraphJob,
  isReference,
  type PlacedReference,
  validateGraph,
  referencesIn,
  resolveReferences,
} from './references';
