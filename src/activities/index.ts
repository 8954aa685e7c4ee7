import { type MediaApi } from '../api/client';
import { type SegueActivities } from '../contract';
import { createPollTask } from './pollTask';
import { createSubmit, type SubmitOptions } from './submit';

/** Everything a Segue worker can do for a workflow. */
export function createActivities(api: MediaApi, options: SubmitOptions = {}): SegueActivities {
  return { submit: createSubmit(api, options), pollTask: createPollTask(api) };
}
