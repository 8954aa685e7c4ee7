import { type Api } from '../api/client';
import { organizationResolver } from '../api/organization';
import { DEFAULT_SUBMIT, type SegueActivities } from '../contract';
import { createCalls } from './calls';
import { createNotify } from './notify';
import { type OnceOptions } from './once';
import { createRequestChange, type RequestOptions } from './requestChange';
import { createSubmit } from './submit';
import { createWriteProject, type WriteOptions } from './writeProject';

export interface ActivityOptions extends OnceOptions, WriteOptions, Partial<RequestOptions> {
  /** The workspace of every call that names none. */
  organization?: string;
}

/** Everything a Segue worker can do for a workflow, by the queue that does it. */
export function createActivities(api: Api, options: ActivityOptions = {}) {
  const { authGrace = DEFAULT_SUBMIT.authGrace } = options;
  const organizationOf = organizationResolver(api, options.organization);
  const general = {
    ...createCalls(api),
    notify: createNotify(api, options),
    requestChange: createRequestChange(organizationOf, { authGrace }),
    writeProject: createWriteProject(api, options),
  };
  const submits = { submit: createSubmit(api, options) };
  // What the contract promises is registered on one of the two.
  ({ ...general, ...submits }) satisfies SegueActivities;
  return { general, submits };
}
