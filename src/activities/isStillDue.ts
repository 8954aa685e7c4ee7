import { type Api } from '../api/client';
import { valueAt } from '../api/pointer';
import { type NudgeCheck } from '../contract';
import { callOptions } from './calls';
import { type Patience, patientFailure } from './failures';
import { previousOutlook } from './previousOutlook';

/** Looks whether somebody is still to be nudged: what was due at night may be done in the morning. */
export function createIsStillDue(api: Api, patience: Patience) {
  return async function isStillDue({ scope, project, at, nudge }: NudgeCheck): Promise<boolean> {
    const { resourcetype, id } = project;
    try {
      const { data } = await api.getProject({ resourcetype, id }, callOptions('isStillDue', { scope }));
      if (nudge.about === 'approval') return isApproving(data, at);
      const known = previousOutlook(valueAt(data, `${at}/outlook`))?.boards ?? {};
      // A look in between has seen it change, or nobody looks at it any more.
      return Object.hasOwn(known, nudge.board) && known[nudge.board]?.since === nudge.since;
    } catch (error) {
      throw patientFailure(error, patience);
    }
  };
}

/** Whether a campaign waits for its approver. Who paused it knows that it waits, and wants nobody to be reminded. */
export function isApproving(data: unknown, at: string): boolean {
  return valueAt(data, `${at}/lifecycle/stage`) === 'approving' && !valueAt(data, `${at}/lifecycle/paused`);
}
