/** For the workflow `firing`: starts what a schedule is for, and reads how that ended. */
import { activityInfo, cancellationSignal, getClient, log } from '@temporalio/activity';
import { ScheduleNotFoundError } from '@temporalio/client';
import { ApplicationFailure, type MetricMeter } from '@temporalio/common';
import { truncate } from '../api/json';
import { calendarsOf, isPutBack, keyOfFiring } from '../calendar/zones';
import { type ProxySettings } from '../config';
import {
  BATCH_WORKFLOW,
  type BatchResult,
  CAMPAIGN_WORKFLOW,
  type CampaignResult,
  FAILURE,
  type FiredEnd,
  type FiredRun,
  type SegueActivities,
  type StartFiredOrder,
} from '../contract';
import { scheduleId } from '../contract/ids';
import { assertValid } from '../errors';
import { endOfBatch } from '../runs/batch/end';
import { endOfCampaign } from '../runs/campaign';
import { failedRun } from '../runs/find';
import { validateSchedule } from '../runs/schedule/spec';
import { startTarget } from '../runs/schedule/targets';
import { Heartbeat } from './atMostOnce/heartbeat';
import { startFailure } from './lib/failures';
import { meterSkippedFirings } from './lib/metrics';
import { findEnd, subscribeToEnd } from './runs';

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
  // Both commands: a firing does not know whether it was triggered, and the time of a trigger cannot be backfilled.
  const advice =
    `. When that is fixed, run: segue schedule backfill ${schedule} --from ${time} --to ${time}, ` +
    `or if it was triggered: segue schedule trigger ${schedule}`;
  return startFailure(error, advice);
}

/** In characters: the reason of a campaign may name every part that its project did not take. */
const LONGEST_ERROR = 8_000;

export function createReadFiredEnd(meter: MetricMeter): SegueActivities['readFiredEnd'] {
  return async ({ schedule, ...order }) => {
    await meterSkippedFirings(meter, schedule);
    const end = await findEnd(order);
    if (end === 'open') return null;
    if (end === 'gone') return { status: 'failed', error: 'the Temporal server no longer knows its run' };
    const { status, error } =
      'failure' in end ? failedRun(end.failure) : endByResult(end.run.type, end.result);
    return { status, error: error && truncate(error, LONGEST_ERROR) };
  };
}

function endByResult(workflow: string, result: unknown): FiredEnd {
  if (workflow === BATCH_WORKFLOW) return endOfBatch(result as BatchResult);
  if (workflow === CAMPAIGN_WORKFLOW) return endOfCampaign(result as CampaignResult);
  return { status: 'succeeded', error: null };
}
