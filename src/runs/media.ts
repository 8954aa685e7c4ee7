/** A media job: what is asked for, what can be wrong with it, and how it is started once. */
import { type Client } from '@temporalio/client';
import { validateRequest } from '../api/tools';
import { MEDIA_WORKFLOW, type MediaInput, type PollSettings, type Scope } from '../contract';
import { digest } from '../platform/digest';
import { mediaWorkflowId } from '../contract/ids';
import { attributesOfJob } from '../contract/searchAttributes';
import { assertValid } from '../errors';
import { validateMediaSpec, validatePoll, withoutNulls } from '../validation/inputs';
import { type RunFacts } from './find';
import { startOrFind, type StartSettings } from './start';

/** What makes two requests the same job. */
type JobIdentity = Pick<MediaInput, 'tool' | 'request' | 'scope' | 'write' | 'notify' | 'taskId'>;

export interface MediaSpec extends JobIdentity {
  /** What makes it the same job. Default: a digest of scope, tool and request. */
  key?: string;
  poll?: Partial<PollSettings>;
}

/** Starts the job, or gives back the run that its key already has, running or closed. It never submits twice. */
export async function startMedia(
  temporal: Client,
  spec: MediaSpec,
  { taskQueue, poll, submit }: StartSettings,
): Promise<RunFacts> {
  assertValid(validateSpec(spec));
  const { tool, request, write, notify, taskId } = spec;
  return startMediaInput(temporal, taskQueue, {
    ...{ key: keyOf(spec), tool, request, scope: normalizeScope(spec.scope), write, notify, taskId },
    ...{ poll: { ...poll, ...withoutNulls(spec.poll ?? {}) }, submit },
  });
}

/** The same, of an input that is complete. */
export function startMediaInput(temporal: Client, taskQueue: string, input: MediaInput): Promise<RunFacts> {
  const { key, tool, taskId } = input;
  return startOrFind(temporal, {
    workflow: MEDIA_WORKFLOW,
    workflowId: mediaWorkflowId(key),
    ...{ taskQueue, key, input, identityOf },
    attributes: attributesOfJob(input, taskId === undefined ? 'submitting' : 'polling'),
    summary: `${tool} for ${key}`,
  });
}

export function identityOf({ tool, request, scope, write, notify, taskId }: JobIdentity): string {
  return digest({ tool, request, scope: normalizeScope(scope), write, notify, taskId });
}

export function keyOf({ key, tool, request, scope }: MediaSpec): string {
  return key ?? identityOf({ tool, request, scope });
}

/** An empty scope is the same as none. */
export function normalizeScope(scope: Scope | undefined): Scope | undefined {
  const given = withoutNulls(scope ?? {});
  return Object.keys(given).length === 0 ? undefined : given;
}

export function validateSpec(spec: MediaSpec): string[] {
  return [
    ...validateMediaSpec(spec),
    ...validateRequest(spec.tool, spec.request),
    ...validatePoll(spec.poll),
  ];
}
