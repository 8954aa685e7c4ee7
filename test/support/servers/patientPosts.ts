import { type WorkerOptions } from '@temporalio/worker';

const PATIENT_MS = 3_600_000;

/**
 * For a worker whose POSTs may take longer than the submit timeout. A test sets that timeout short because a resubmit is
 * refused until it has passed; a POST on a busy machine must not fail by it. The server still ends the activity ten
 * seconds after the submit timeout.
 */
export function patientPosts(isPatient: () => boolean = () => true): Pick<WorkerOptions, 'interceptors'> {
  const extend = ({ info }: { info: { activityType: string } }) => {
    if (info.activityType.startsWith('submit') && isPatient())
      Object.assign(info, { startToCloseTimeoutMs: PATIENT_MS });
    return {};
  };
  return { interceptors: { activity: [extend] } };
}
