import { type Api } from '../api/client';
import { type SegueActivities } from '../contract';
import { createCalls } from './calls';
import { createNotify } from './notify';
import { type OnceOptions } from './once';
import { createSubmit } from './submit';

/** Everything a Segue worker can do for a workflow. */
export function createActivities(api: Api, options: OnceOptions = {}): SegueActivities {
  return { submit: createSubmit(api, options), notify: createNotify(api, options), ...createCalls(api) };
}
