import { isDeepStrictEqual } from 'node:util';
import { ApplicationFailure } from '@temporalio/common';
import { type Api } from '../api/client';
import { valueAt } from '../api/pointer';
import { FAILURE, type Outlook, type OutlookNews, type OutlookOrder } from '../contract';
import { type Patience } from './failures';
import { manyReads } from './manyReads';
import { nextOutlook } from './nextOutlook';
import { previousOutlook } from './previousOutlook';
import { survey } from './survey';
import { clockOf } from './workspaceClock';

const LARGEST_OUTLOOK_BYTES = 64 * 1024;

/** Looks at the service, and tells what of it is news to the project. It writes nothing. */
export function createReadOutlook(api: Api, patience: Patience) {
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
      const { outlook, ...news } = nextOutlook(previousOutlook(there), {
        ...order,
        ...{ now: Date.now(), clock, survey: seen },
        // Who paused it knows that it waits, and wants nobody to be reminded.
        isApproving:
          valueAt(data, `${at}/lifecycle/stage`) === 'approving' && !valueAt(data, `${at}/lifecycle/paused`),
      });
      const bounded = withinSize(outlook);
      return { ...news, outlook: isDeepStrictEqual(bounded, there) ? null : bounded };
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
