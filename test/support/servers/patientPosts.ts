import { type WorkerOptions } from '@temporalio/worker';

/**
 * Lets POSTs take longer than the submit timeout. Tests set that timeout short, because a resubmit is refused until it
 * has passed, and a busy machine may need longer for a POST. The server still times the activity out 10 s after the
 * submit timeout: with a timeout of 1 s, a POST may take 11 s.
 */
export function patientPosts(isPatient: () => boolean = () => true): Pick<WorkerOptions, 'interceptors'> {
  const extend = ({ info }: { info: { activityType: string } }) => {
    if (info.activityType.startsWith('submit') && isPatient())
      Object.assign(info, { startToCloseTimeoutMs: 3_600_000 });
    return {};
  };
  return { interceptors: { activity: [extend] } };
}
