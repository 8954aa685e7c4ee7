import { activityInfo, cancellationSignal, getClient, log } from '@temporalio/activity';
import { ApplicationFailure, type MetricMeter } from '@temporalio/common';
import { keyOfFiring } from '../calendar/clockChanges';
import { problemsOfSchedule } from '../runs/schedule/spec';
import { type FiringSettings, mayPass } from '../runs/schedule/batch';
import { startTarget } from '../runs/schedule/targets';
import { type ProxySettings } from '../config';
import { FAILURE, type FiredRun, type StartFiredOrder } from '../contract';
import { InvalidInputError, KeyReusedError, ManifestNotKeptError, requireGood } from '../errors';
import { Pulse } from './atMostOnce/heartbeat';
import { askToBeTold } from './runs';
import { meterSkippedFirings } from './skippedFirings';

/**
 * For so long, and so often at least, a manifest is asked for again that cannot be read, or that the worker cannot keep:
 * a firing that went on and on would have all later ones skipped. Trouble of the Temporal server alone has no end here,
 * because it passes with the server's.
 */
const LONGEST_UNREADABLE_MS = 30 * 60_000;
const FEWEST_READS = 5;

/**
 * Starts what a firing is for, as any client does: under the key of its time, so that a run that is there already is
 * found and not started again. It is asked to tell the firing its end.
 */
export function createStartFired(meter: MetricMeter, proxy?: ProxySettings) {
  return async function startFired(order: StartFiredOrder): Promise<FiredRun> {
    const pulse = new Pulse();
    // Decided once: what an attempt gives up for good, the next one must not find undone.
    const isLast = isLastAttempt();
    try {
      await meterSkippedFirings(meter, order.schedule);
      return await start(order, { proxy, isLastAttempt: isLast });
    } catch (error) {
      throw inWords(error, order, isLast);
    } finally {
      pulse.stop();
    }
  };
}

async function start(
  order: StartFiredOrder,
  reading: Pick<FiringSettings, 'proxy' | 'isLastAttempt'>,
): Promise<FiredRun> {
  const { schedule, target, poll, submit } = order;
  const { taskQueue, taskToken, workflowExecution } = activityInfo();
  // Other languages make schedules too.
  requireGood(problemsOfSchedule(schedule, order), 'Nothing was started');
  const client = getClient();
  const run = await startTarget(client, target, {
    key: keyOfFiring(order, order),
    // The same in every attempt: what an attempt before this one started is not an old run.
    token: workflowExecution?.runId,
    ...{ taskQueue, poll, submit, ...reading },
    // Nobody looks on while a schedule fires.
    onWarning: (warning) => {
      log.warn('a line of the manifest may not be meant so', { schedule, warning });
    },
    signal: cancellationSignal(),
    requireCurrent: () => client.activity.heartbeat(taskToken),
  });
  const isOver = !(await askToBeTold(client, run.workflowId, workflowExecution?.workflowId ?? ''));
  const { key, workflowId, runId, existing, digest, warnings = [] } = run;
  return {
    ...{ key, workflowId, runId, existing, isOver, digest },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function isLastAttempt(): boolean {
  const { attempt, scheduledTimestampMs } = activityInfo();
  return attempt >= FEWEST_READS && Date.now() - scheduledTimestampMs >= LONGEST_UNREADABLE_MS;
}

/** Without causes, which may tell more of an address than messages do. */
function inWords(error: unknown, order: StartFiredOrder, isLast: boolean): unknown {
  if (error instanceof InvalidInputError || error instanceof KeyReusedError)
    return ApplicationFailure.nonRetryable(error.message, FAILURE.badInput);
  if (!mayPass(error)) return error;
  const { message } = error;
  const type = error instanceof ManifestNotKeptError ? FAILURE.notKept : FAILURE.unreachable;
  if (!isLast) return ApplicationFailure.retryable(message, type);
  return ApplicationFailure.nonRetryable(`Nothing was submitted: ${message}. ${adviceOn(order)}`, type);
}

/** A firing does not know what made it; a time of no calendar, at which it was triggered, cannot be backfilled. */
function adviceOn({ schedule, time }: StartFiredOrder): string {
  return (
    `When that is mended, this makes up for it: segue schedule backfill ${schedule} --from ${time} --to ${time}, ` +
    `or if it was triggered: segue schedule trigger ${schedule}`
  );
}
