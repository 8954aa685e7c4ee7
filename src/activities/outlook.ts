import { isDeepStrictEqual } from 'node:util';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { type Api, type CallOptions, type OrganizationOf } from '../api/client';
import { bytesOf, valueAt } from '../api/json';
import { FAILURE, type Outlook, type SegueActivities } from '../contract';
import { manyReads, oneCall } from './lib/calls';
import { campaignAt, isRunning } from './campaign';
import { clockOf, firstWorkingMoment } from './clock';
import { type AuthGrace } from './lib/failures';
import { nextOutlook } from './lib/nextOutlook';
import { survey } from './lib/survey';

const LARGEST_OUTLOOK_BYTES = 64 * 1024;

/** Reads the service, and returns what is news to the project's outlook. It writes nothing. */
export function createReadOutlook(
  api: Api,
  organizationOf: OrganizationOf,
  patience: AuthGrace,
  clockNow: () => number = Date.now,
): SegueActivities['readOutlook'] {
  return (order) => {
    const { scope, project, at, drafts, activity, boards } = order;
    return manyReads('readOutlook', { scope, ...patience }, async (next) => {
      const clock = clockOf(await api.getWorkspace({}, next()));
      const seen = await survey(api, { drafts, activity, boards }, next);
      // The project is read last: the outlook compared with it is written soon after.
      const { resourcetype, id } = project;
      const { data } = await api.getProject({ resourcetype, id }, next());
      const stored = valueAt(data, `${at}/outlook`);
      const now = clockNow();
      const nudgeAt = firstWorkingMoment(now, clock.timezone);
      const { outlook, ...news } = nextOutlook(previousOutlook(stored), {
        ...order,
        ...{ now, nudgeAt, clock, survey: seen },
        isApproving: await isApproving(data, at),
      });
      const bounded = withinSize(outlook);
      return {
        ...news,
        outlook: isDeepStrictEqual(bounded, stored) ? null : bounded,
        timezone: clock.timezone,
        lookedBy: activityInfo().workflowExecution?.runId,
        organization: news.nudges.length > 0 ? await organizationOf(scope, next()) : null,
      };
    });
  };
}

function withinSize(outlook: Outlook): Outlook {
  const bytes = bytesOf(outlook);
  if (bytes <= LARGEST_OUTLOOK_BYTES) return outlook;
  const [, ...weeks] = outlook.weeks;
  if (weeks.length > 0) return withinSize({ ...outlook, weeks });
  throw ApplicationFailure.nonRetryable(
    `The outlook of one week has ${bytes} bytes, more than ${LARGEST_OUTLOOK_BYTES}: look at fewer tasks or boards`,
    FAILURE.badInput,
  );
}

/** Whether a nudge is still due: what was due at night may be done in the morning. */
export function createIsStillDue(api: Api, patience: AuthGrace): SegueActivities['isStillDue'] {
  return ({ scope, project: { resourcetype, id }, at, nudge }) => {
    const read = async (options: CallOptions): Promise<boolean> => {
      const { data } = await api.getProject({ resourcetype, id }, options);
      if (nudge.about === 'approval') return isApproving(data, at);
      const known = previousOutlook(valueAt(data, `${at}/outlook`))?.boards ?? {};
      // False when a later look saw the board change, or no longer reads it.
      return Object.hasOwn(known, nudge.board) && known[nudge.board]?.since === nudge.since;
    };
    return oneCall('isStillDue', { scope }, read, patience);
  };
}

/**
 * Whether a campaign waits for its approver. A paused campaign reminds nobody, and a stopped one takes no answer. Where
 * the project does not name the campaign, the server cannot be asked, and it counts as running.
 */
async function isApproving(data: unknown, at: string): Promise<boolean> {
  if (valueAt(data, `${at}/lifecycle/stage`) !== 'approving') return false;
  if (valueAt(data, `${at}/lifecycle/paused`)) return false;
  const campaign = campaignAt(data, at);
  return campaign === undefined || isRunning(campaign);
}

const count = z.number();
const counts = z.record(z.string(), count);

const shape = z.object({
  weeks: z.array(
    z.object({
      week: z.iso.date(),
      drafts: z.object({ total: count, new: count, gone: count }).nullable(),
      activity: z.object({ total: count, new: count, verbs: counts }),
      tasks: counts,
      boards: z.array(z.string()),
      changes: z.array(z.string()),
    }),
  ),
  seen: z.object({
    drafts: z.object({ total: count, of: z.string() }).nullable(),
    activity: z.record(z.string(), z.object({ total: count, verbs: counts })),
  }),
  boards: z.record(z.string(), z.object({ digest: z.string(), since: z.iso.datetime() })),
  nudged: z.record(z.string(), z.string()),
});

/** The stored outlook of a project; undefined where people, or another version, stored something else. */
export function previousOutlook(value: unknown): Outlook | undefined {
  // The value itself is returned: a zod record drops a member named `__proto__`.
  return shape.safeParse(value).success ? (value as Outlook) : undefined;
}
