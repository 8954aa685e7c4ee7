import { type Api } from '../api/client';
import { valueAt } from '../api/json';
import { type NudgeCheck } from '../contract';
import { callOptions } from './calls';
import { campaignAt, isRunning } from './campaignAt';
import { type Patience, patientFailure } from './failures';
import { previousOutlook } from './previousOutlook';

/** Looks whether somebody is still to be nudged: what was due at night may be done in the morning. */
export function createIsStillDue(api: Api, patience: Patience) {
  return async function isStillDue({ scope, project, at, nudge }: NudgeCheck): Promise<boolean> {
    const { resourcetype, id } = project;
    try {
      const { data } = await api.getProject({ resourcetype, id }, callOptions('isStillDue', { scope }));
      if (nudge.about === 'approval') return await isApproving(data, at);
      const known = previousOutlook(valueAt(data, `${at}/outlook`))?.boards ?? {};
      // A look in between has seen it change, or nobody looks at it any more.
      return Object.hasOwn(known, nudge.board) && known[nudge.board]?.since === nudge.since;
    } catch (error) {
      throw patientFailure(error, patience);
    }
  };
}

/**
 * Whether a campaign waits for its approver. Who paused it knows that it waits, and wants nobody to be reminded; one that
 * was stopped takes no answer. Where nothing tells which campaign it is, nobody can be asked.
 */
export async function isApproving(data: unknown, at: string): Promise<boolean> {
  if (valueAt(data, `${at}/lifecycle/stage`) !== 'approving') return false;
  if (valueAt(data, `${at}/lifecycle/paused`)) return false;
  const campaign = campaignAt(data, at);
  return campaign === undefined || isRunning(campaign);
}
