import { type Api } from '../api/client';
import { type SegueActivities } from '../contract';
import { createCalls } from './calls';
import { type GuardOptions } from './guards';
import { createNotify } from './notify';
import { createSubmit } from './submit';

/** Everything a Segue worker can do for a workflow, by the queue that does it. */
export function createActivities(api: Api, options: GuardOptions = {}) {
  const general = { ...createCalls(api), notify: createNotify(api, options) };
  const submits = { submit: createSubmit(api, options) };
  // What the contract promises is registered on one of the two.
  ({ ...general, ...submits }) satisfies SegueActivities;
  return { general, submits };
}
