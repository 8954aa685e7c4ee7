/** For the workflows `mediaRequest` and `runRequest`: starts a run as Segue's client does, and reads its end. */
import { activityInfo, cancellationSignal, getClient } from '@temporalio/activity';
import { type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type ProxySettings } from '../config';
import {
  FAILURE,
  type JobSettings,
  type RequestSpecs,
  type RunRequest,
  type SegueActivities,
} from '../contract';
import { assertValid } from '../errors';
import { type FiringSettings, startScheduledBatch } from '../runs/batch/fromAddress';
import { campaignStart, validateCampaignSpec } from '../runs/campaign';
import { failedRun, type RunFacts } from '../runs/find';
import { startMedia } from '../runs/media';
import { startRecord } from '../runs/record';
import { validateScheduledBatch } from '../runs/schedule/targets';
import { startOrFind } from '../runs/start';
import { startTranscript } from '../runs/transcript';
import { validateSettings } from '../validation/inputs';
import { Heartbeat } from './atMostOnce/heartbeat';
import { startFailure } from './lib/failures';
import { findEnd, subscribeToEnd } from './runs';

/** The same key, because an earlier attempt may have started some of the partitions. */
const ADVICE = '. When the address can be read, call again with the same key and manifest';

export function createStartRequested(proxy?: ProxySettings): SegueActivities['startRequested'] {
  return async (request) => {
    const { taskQueue, workflowExecution } = activityInfo();
    const client = getClient();
    const heartbeat = new Heartbeat();
    try {
      const { workflowId: ownId = '' } = workflowExecution ?? {};
      const token = request.kind === 'batch' ? ownId : undefined;
      const settings = { taskQueue, proxy, token, signal: cancellationSignal() };
      const { workflowId } = await startRun(client, request, settings);
      const isOver = !(await subscribeToEnd(client, workflowId, ownId));
      return { workflowId, isOver };
    } catch (error) {
      throw startFailure(error, ADVICE);
    } finally {
      heartbeat.stop();
    }
  };
}

function startRun(
  client: Client,
  { kind, spec: given }: RunRequest,
  settings: Omit<FiringSettings, 'poll' | 'submit'>,
): Promise<RunFacts> {
  const { poll, submit, ...spec } = given as object & JobSettings;
  assertValid(validateSettings({ poll, submit }));
  const all = { ...settings, poll, submit };
  switch (kind) {
    case 'media':
      return startMedia(client, spec as RequestSpecs['media'], all);
    case 'transcript':
      return startTranscript(client, spec as RequestSpecs['transcript'], all);
    case 'record':
      return startRecord(client, spec as RequestSpecs['record'], all);
    case 'campaign':
      assertValid(validateCampaignSpec(spec), 'The campaign was not started');
      return startOrFind(client, campaignStart(spec as RequestSpecs['campaign'], all));
    case 'batch':
      assertValid(validateScheduledBatch(spec), 'The batch was not started');
      return startScheduledBatch(client, spec as RequestSpecs['batch'], { ...all, isChosenKey: true });
  }
}

export const readRequested: SegueActivities['readRequested'] = async (order) => {
  const { workflowId } = order;
  const end = await findEnd(order);
  if (end === 'gone')
    throw ApplicationFailure.nonRetryable(
      `Temporal no longer has ${workflowId}: deleted, or past retention`,
      FAILURE.givenUp,
    );
  if (end === 'open') return null;
  if ('result' in end) return end.result as object;
  const { cause } = end.failure;
  if (cause instanceof ApplicationFailure)
    throw ApplicationFailure.nonRetryable(cause.message, cause.type, ...(cause.details ?? []));
  const { status, error: reason } = failedRun(end.failure);
  throw ApplicationFailure.nonRetryable(`${workflowId} ended as ${status}: ${reason}`, FAILURE.givenUp);
};
