import { getClient } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { type Api } from '../api/client';
import { isMissing } from '../api/errors';
import { valueAt } from '../api/pointer';
import { type PlaceOrder } from '../contract';
import { campaignWorkflowId, LONGEST_KEY } from '../ids';
import { callOptions } from './calls';
import { type Patience, patientFailure } from './failures';

/** Looks who keeps its state at a campaign's place in the project, and still runs. */
export function createReadPlace(api: Api, patience: Patience) {
  return async function readPlace({ scope, project, at, key }: PlaceOrder): Promise<string | null> {
    const { resourcetype, id } = project;
    try {
      const { data } = await api.getProject({ resourcetype, id }, callOptions('readPlace', { scope }));
      const other = valueAt(data, `${at}/configuration/key`);
      const isOther = typeof other === 'string' && other.length <= LONGEST_KEY && other !== key;
      return isOther && (await isRunning(other)) ? other : null;
    } catch (error) {
      // Whoever writes there is told so.
      if (isMissing(error)) return null;
      throw patientFailure(error, patience);
    }
  };
}

async function isRunning(key: string): Promise<boolean> {
  try {
    const { status } = await getClient().workflow.getHandle(campaignWorkflowId(key)).describe();
    return ['RUNNING', 'PAUSED'].includes(status.name);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
