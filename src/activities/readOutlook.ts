import { isDeepStrictEqual } from 'node:util';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Api, type OrganizationOf } from '../api/client';
import { valueAt } from '../api/json';
import { FAILURE, type Outlook, type OutlookNews, type OutlookOrder } from '../contract';
import { type Patience } from './failures';
import { isApproving } from './isStillDue';
import { manyReads } from './manyReads';
import { nextOutlook } from './nextOutlook';
import { previousOutlook } from './previousOutlook';
import { survey } from './survey';
import { firstWorkingMoment } from './workingTime';
import { clockOf } from './workspaceClock';

const LARGEST_OUTLOOK_BYTES = 64 * 1024;

/** Looks at the service, and tells what of it is news to the project. It writes nothing. */
export function createReadOutlook(
  api: Api,
  organizationOf: OrganizationOf,
  patience: Patience,
  clockNow: () => number = Date.now,
) {
  return async function readOutlook(order: OutlookOrder): Promise<OutlookNews> {
    const { scope, project, at, drafts, activity, boards } = order;
    return manyReads('readOutlook', { scope, ...patience }, async (reading) => {
      const { next } = reading;
      const clock = clockOf(await api.getWorkspace({}, next()));
      const seen = await survey(api, { drafts, activity, boards }, reading);
      // Last: what is compared with it is written soon after.
      const { resourcetype, id } = project;
      const { data } = await api.getProject({ resourcetype, id }, next());
      const there = valueAt(data, `${at}/outlook`);
      const now = clockNow();
      const nudgeAt = firstWorkingMoment(now, clock.timezone);
      const { outlook, ...news } = nextOutlook(previousOutlook(there), {
        ...order,
        ...{ now, nudgeAt, clock, survey: seen },
        isApproving: await isApproving(data, at),
      });
      const bounded = withinSize(outlook);
      return {
        ...news,
        outlook: isDeepStrictEqual(bounded, there) ? null : bounded,
        timezone: clock.timezone,
        lookedBy: activityInfo().workflowExecution?.runId,
        organization: news.nudges.length > 0 ? await organizationOf(scope, next()) : null,
      };
    });
  };
}

/** Without the oldest weeks, where all of them are too much. */
function withinSize(outlook: Outlook): Outlook {
  const bytes = Buffer.byteLength(JSON.stringify(outlook));
  if (bytes <= LARGEST_OUTLOOK_BYTES) return outlook;
  const [, ...weeks] = outlook.weeks;
  if (weeks.length > 0) return withinSize({ ...outlook, weeks });
  throw ApplicationFailure.nonRetryable(
    `The outlook of one week has ${bytes} bytes, more than ${LARGEST_OUTLOOK_BYTES}: look at fewer tasks or boards`,
    FAILURE.badInput,
  );
}
