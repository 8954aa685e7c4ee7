import { type Api } from '../api/client';
import { shorten } from '../api/errors';
import { type WorkspaceContext } from '../api/operations/workspace';
import { type WorkspaceClock, type WorkspaceClockInput } from '../contract';
import { isZone } from '../calendar/zones';
import { callOptions } from './calls';
import { activityFailure } from './failures';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONDAY = 1;

/** By which clock the workspace of a scope works. */
export function createReadWorkspaceClock(api: Api) {
  return async function readWorkspaceClock({ scope }: WorkspaceClockInput): Promise<WorkspaceClock> {
    try {
      return clockOf(await api.getWorkspace({}, callOptions('readWorkspaceClock', { scope })));
    } catch (error) {
      throw activityFailure(error);
    }
  };
}

/** By which clock a workspace works, and what was missing or unknown there. */
export function clockOf({ workspace }: WorkspaceContext): WorkspaceClock {
  const { timezone, start_of_week: startOfWeek } = workspace?.settings ?? {};
  const remarks: string[] = [];
  const isKnownZone = typeof timezone === 'string' && isZone(timezone);
  if (!isKnownZone) remarks.push(`the workspace ${said('timezone', timezone)}; UTC stands for it`);
  const day = dayOf(startOfWeek ?? '');
  if (day === undefined)
    remarks.push(`the workspace ${said('start of the week', startOfWeek)}; Monday stands for it`);
  return { timezone: isKnownZone ? timezone : 'UTC', startOfWeek: day ?? MONDAY, remarks };
}

/**
 * 1 is Monday, 7 Sunday. The document calls it a short code and shows none, so only what can mean one day is taken:
 * the first two or three letters, or the whole word. A number could count from Sunday or from Monday.
 */
function dayOf(code: string): number | undefined {
  const word = code.trim().toLowerCase();
  const index = DAYS.findIndex((day) => [day.slice(0, 2), day.slice(0, 3), day].includes(word));
  return index === -1 ? undefined : index + 1;
}

function said(what: string, value: string | null | undefined): string {
  return value === undefined || value === null || value === ''
    ? `tells no ${what}`
    : `tells "${shorten(value, 60)}" as ${what}, which is not understood`;
}
