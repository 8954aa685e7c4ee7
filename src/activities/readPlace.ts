import { type Api } from '../api/client';
import { isMissing } from '../api/errors';
import { type PlaceOrder } from '../contract';
import { callOptions } from './calls';
import { campaignAt, isRunning } from './campaignAt';
import { type Patience, patientFailure } from './failures';

/** Looks who keeps its state at a campaign's place in the project, and still runs. */
export function createReadPlace(api: Api, patience: Patience) {
  return async function readPlace({ scope, project, at, key }: PlaceOrder): Promise<string | null> {
    const { resourcetype, id } = project;
    try {
      const { data } = await api.getProject({ resourcetype, id }, callOptions('readPlace', { scope }));
      const other = campaignAt(data, at);
      return other !== undefined && other !== key && (await isRunning(other)) ? other : null;
    } catch (error) {
      // Whoever writes there is told so.
      if (isMissing(error)) return null;
      throw patientFailure(error, patience);
    }
  };
}
