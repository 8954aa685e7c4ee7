import { OUTLOOK_WORKFLOW, type OutlookInput } from '../contract';
import { outlookWorkflowId } from '../contract/ids';
import { attributesOfJob } from '../contract/searchAttributes';
import { digest } from '../platform/digest';
import { normalizeScope } from './media';
import { type Start, type StartSettings } from './start';

export function outlookStart(
  spec: OutlookInput,
  { taskQueue }: Pick<StartSettings, 'taskQueue'>,
): Start<OutlookInput> {
  const input: OutlookInput = { ...spec, scope: normalizeScope(spec.scope) };
  const { key, scope, project, at = '' } = input;
  return {
    workflow: OUTLOOK_WORKFLOW,
    workflowId: outlookWorkflowId(key),
    ...{ taskQueue, key, input, identityOf },
    attributes: attributesOfJob({ tool: OUTLOOK_WORKFLOW, scope, write: { project, at } }),
    summary: `outlook of ${project.resourcetype} ${project.id}`,
  };
}

function identityOf({ scope, ...asked }: OutlookInput): string {
  return digest({ ...asked, scope: normalizeScope(scope) });
}
