/** For the workflow `firing`: starts what a schedule is for, and reads how that ended. */
import { activityInfo, cancellationSignal, getClient, log } from '@temporalio/activity';
import { ScheduleNotFoundError } from '@temporalio/client';
import { ApplicationFailure, type MetricMeter } from '@temporalio/common';
import { calendarsOf, isPutBack, keyOfFiring } from '../calendar/zones';
import { type ProxySettings } from '../config';
import {
  type BatchResult,
  type CampaignResult,
  FAILURE,
  type FiredEnd,
  type FiredRun,
  type JobEnd,
  type SegueActivities,
  type StartFiredOrder,
} from '../contract';
import { batchWorkflowId, campaignWorkflowId, keyIn, scheduleId } from '../contract/ids';
import { assertValid, UnreachableAddress } from '../errors';
import { endOfBatch } from '../runs/batch/end';
import { endOfCampaign } from '../runs/campaign';
import { validateSchedule } from '../runs/schedule/spec';
import { startTarget } from '../runs/schedule/targets';
import { Heartbeat } from './atMostOnce/heartbeat';
import { inputFailure, unreadableFailure } from './lib/failures';
import { meterSkippedFirings } from './lib/metrics';
import { readEnd, subscribeToEnd } from './runs';

/** Under the key of the firing's time, so that a run that exists is found. The run signals its end to the firing. */
export function createStartFired(meter: MetricMeter, proxy?: ProxySettings): SegueActivities['startFired'] {
  return async (order) => {
    const heartbeat = new Heartbeat();
    try {
      await meterSkippedFirings(meter, order.schedule);
      return await start(order, proxy);
    } catch (error) {
      throw asFailure(error, order);
    } finally {
      heartbeat.stop();
    }
  };
}

async function start(order: StartFiredOrder, proxy: ProxySettings | undefined): Promise<FiredRun> {
  const { schedule, target, timezone, poll, submit } = order;
  const { taskQueue, workflowExecution } = activityInfo();
  // Checked here too, because other languages create schedules without Segue's client.
  assertValid(validateSchedule(schedule, order), 'Nothing was started');
  const client = getClient();
  // Only where a time of day comes twice: the server has read the times of the schedule.
  const calendars = isPutBack(Date.parse(order.time), timezone)
    ? calendarsOf(await client.schedule.getHandle(scheduleId(schedule)).describe())
    : [];
  const run = await startTarget(client, target, {
    key: keyOfFiring(order, calendars, timezone),
    // The same in every attempt: a run that an earlier attempt started is not an existing one.
    token: workflowExecution?.runId,
    ...{ taskQueue, poll, submit, proxy },
    signal: cancellationSignal(),
  });
  const isOver = !(await subscribeToEnd(client, run.workflowId, workflowExecution?.workflowId ?? ''));
  const { key, workflowId, runId, existing, digest, warnings = [] } = run;
  // No terminal shows warnings while a schedule fires.
  for (const warning of warnings) log.warn('a line of the manifest may be a mistake', { schedule, warning });
  return {
    ...{ key, workflowId, runId, existing, isOver, digest },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function asFailure(error: unknown, { schedule, time }: StartFiredOrder): unknown {
  if (error instanceof ScheduleNotFoundError)
    return ApplicationFailure.nonRetryable(
      `The schedule ${schedule} is deleted, and ${time} is close to where clocks are put back: which time it stands for is unknown`,
      FAILURE.missing,
    );
  if (!(error instanceof UnreachableAddress)) return inputFailure(error) ?? error;
  // Both commands: a firing does not know whether it was triggered, and the time of a trigger cannot be backfilled.
  const advice =
    `. When that is fixed, run: segue schedule backfill ${schedule} --from ${time} --to ${time}, ` +
    `or if it was triggered: segue schedule trigger ${schedule}`;
  return unreadableFailure(error, advice);
}

/** Pointers into the result of a campaign or a batch. */
const RESULT = {
  ...{ status: '/status', decisions: '/decisions', written: '/written' },
  ...{ counts: '/counts', incomplete: '/incomplete', stopped: '/stopped' },
};

export function createReadFiredEnd(meter: MetricMeter): SegueActivities['readFiredEnd'] {
  return async ({ schedule, workflowId, isEnding }) => {
    await meterSkippedFirings(meter, schedule);
    const end = await readEnd({ workflowId, isEnding, pointers: Object.values(RESULT) });
    if ('error' in end) return { status: end.is, error: end.error };
    if (end.is === 'succeeded') return endByResult(workflowId, end.values);
    if (end.is === 'open') return null;
    return { status: 'failed', error: 'the Temporal server no longer knows its run' };
  };
}

type Values = Extract<JobEnd, { is: 'succeeded' }>['values'];

function endByResult(workflowId: string, values: Values): FiredEnd {
  const [status, decisions, written, counts, incomplete, stopped] = Object.values(RESULT).map((pointer) => {
    const found = values[pointer];
    return found && 'value' in found ? found.value : undefined;
  });
  const isBatch = workflowId === batchWorkflowId(keyIn(workflowId));
  if (isBatch) return endOfBatch({ status, counts, incomplete, stopped } as BatchResult);
  if (workflowId !== campaignWorkflowId(keyIn(workflowId))) return { status: 'succeeded', error: null };
  // A value that is too large is not read.
  const unread = { ok: false, error: 'the reason is in its result' };
  return endOfCampaign({ status, decisions: decisions ?? [], written: written ?? unread } as CampaignResult);
}
