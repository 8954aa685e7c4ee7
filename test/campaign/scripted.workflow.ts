/** Stands in for a campaign: it tells and takes what the contract says, and makes nothing. The key names the scene. */
import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import {
  addMediaUpdate,
  type CampaignInput,
  type CampaignJob,
  type CampaignResult,
  type CampaignStatus,
  campaignStatusQuery,
  decideUpdate,
  FAILURE,
  pauseUpdate,
  resumeUpdate,
} from '../../src/contract';

const SINCE = '2026-01-01T00:00:00.000Z';

export async function campaign({ key, media = {} }: CampaignInput): Promise<CampaignResult> {
  const [scene] = key.split('-');
  const jobs = Object.keys(media).map((name) => jobOf(name, scene === 'held' ? 'held' : 'succeeded'));
  const ends = { at: SINCE, written: { ok: true } as const, notified: null };
  const status: CampaignStatus = {
    ...{ key, since: SINCE, history: [], jobs, percent: 100, waitsFor: null, paused: null, decisions: [] },
    held: scene === 'held',
    ...{ timezone: 'UTC', remarks: ['a remark'], unsaved: null, approval: null },
    stage: scene === 'asked' ? 'approving' : 'producing',
  };
  const ask = (round: number): void => {
    const times = { askedAt: SINCE, expiresAt: '2026-01-08T00:00:00.000Z' };
    status.approval = { round, ...times, reminders: 0, nextReminderAt: null, from: 'u-1' };
  };
  const finish = (end: CampaignResult['status']): CampaignResult => ({
    ...{ key, jobs, research: null, decisions: status.decisions, remarks: [], finishedAt: ends.at },
    ...{ written: ends.written, notified: ends.notified, status: end },
  });
  let end: CampaignResult['status'] | undefined;

  setHandler(campaignStatusQuery, () => status);
  setHandler(pauseUpdate, ({ by, reason = '' }) => {
    status.paused = { by, reason, since: SINCE };
    return status;
  });
  setHandler(resumeUpdate, () => {
    if (!status.paused) throw ApplicationFailure.nonRetryable('it is not paused', FAILURE.badDecision);
    status.paused = null;
    return status;
  });
  setHandler(addMediaUpdate, ({ name }) => {
    jobs.push(jobOf(name, 'running'));
    return status;
  });
  setHandler(decideUpdate, (decision) => {
    const round = decision.round ?? 0;
    if (round !== status.approval?.round)
      throw ApplicationFailure.nonRetryable('another question is open', FAILURE.badDecision);
    status.decisions.push({ ...decision, round, at: SINCE });
    status.approval = null;
    if (decision.decision === 'approve') end = 'completed';
    if (decision.decision === 'reject') end = 'rejected';
    return { stage: status.stage, round, stale: decision.jobs ? ['banner'] : [] };
  });

  if (scene === 'asked') ask(1);
  if (scene === 'failed')
    throw ApplicationFailure.nonRetryable('the workspace is not active', FAILURE.campaignFailed, {
      key,
      problems: ['the workspace 42 is not active'],
    });
  if (scene === 'expired') return finish('expired');
  if (scene === 'done') return finish('completed');
  await condition(() => end !== undefined);
  return finish(end ?? 'completed');
}

function jobOf(name: string, status: CampaignJob['status']): CampaignJob {
  return {
    ...{
      name,
      kind: 'media',
      workflowId: null,
      status,
      since: SINCE,
      optional: false,
      repeats: 0,
      attached: false,
      error: null,
    },
    ...{ taskId: null, links: [] },
  };
}
