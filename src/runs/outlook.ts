/** An outlook: everything that can be wrong with its spec, and how it is started once. */
import { OUTLOOK_WORKFLOW, type OutlookInput } from '../contract';
import { DURATION_FORM, parseDuration } from '../contract/durations';
import { outlookWorkflowId } from '../contract/ids';
import { attributesOfJob } from '../contract/searchAttributes';
import { digest } from '../platform/digest';
import { validateOutlookInput } from '../validation/outlook';
import { validateKey, withoutGaps } from './media';
import { type Start, type StartSettings } from './start';

export function outlookStart(
  spec: OutlookInput,
  { taskQueue }: Pick<StartSettings, 'taskQueue'>,
): Start<OutlookInput> {
  const input: OutlookInput = { ...spec, scope: withoutGaps(spec.scope) };
  const { key, scope, project, at = '' } = input;
  return {
    workflow: OUTLOOK_WORKFLOW,
    workflowId: outlookWorkflowId(key),
    ...{ taskQueue, key, input, askOf },
    attributes: attributesOfJob({ tool: OUTLOOK_WORKFLOW, scope, write: { project, at } }),
    summary: `outlook of ${project.resourcetype} ${project.id}`,
  };
}

/** All problems at once, before anything is sent. */
export function validateOutlook(spec: unknown): string[] {
  const { key, silentAfter } = (spec ?? {}) as Record<string, unknown>;
  const isDuration = typeof silentAfter === 'string' && parseDuration(silentAfter) !== undefined;
  return [
    ...(typeof key === 'string' ? validateKey(key) : []),
    ...validateOutlookInput(spec),
    ...(silentAfter === undefined || isDuration ? [] : [`silentAfter: must be ${DURATION_FORM}`]),
  ];
}

function askOf({ scope, ...asked }: OutlookInput): string {
  return digest({ ...asked, scope: withoutGaps(scope) });
}
