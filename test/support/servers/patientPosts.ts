import { type WorkerOptions } from '@temporalio/worker';

const PATIENT_MS = 3_600_000;

/**
 * For a worker whose POSTs may take longer than the submit timeout, which is also how long a person has to wait with a
 * resubmit. A test sets it short to wait less, and a busy machine may still take its time. The server gives an activity up
 * as always, ten seconds after the submit timeout.
 */
export function patientPosts(isPatient: () => boolean = () => true): Pick<WorkerOptions, 'interceptors'> {
  const extend = ({ info }: { info: { activityType: string } }) => {
    if (info.activityType.startsWith('submit') && isPatient())
      Object.assign(info, { startToCloseTimeoutMs: PATIENT_MS });
    return {};
  };
  return { interceptors: { activity: [extend] } };
}
