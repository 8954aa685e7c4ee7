import { CancellationScope, proxyActivities, setHandler } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import {
  type OpenCampaign,
  validateAddedMedia,
  validateDecision,
  validateRoom,
} from '../../validation/campaign';
import {
  type AddMediaOrder,
  addMediaUpdate,
  type CampaignDecision,
  type CampaignDecisionReceipt,
  type CampaignReceipt,
  type CampaignStage,
  campaignStatusQuery,
  decideUpdate,
  type PauseOrder,
  pauseUpdate,
  resumeUpdate,
  type SegueActivities,
} from '../../contract';
import { validateOrder } from '../../validation/inputs';
import { refuseUpdate } from '../lib/refuse';
import { extendRound } from './approval';
import { save } from './project';
import { type Campaign, isOver, newJob, setStatus } from './state';
import { describe, publish } from './status';

const { checkMedia } = proxyActivities<SegueActivities>({ startToCloseTimeout: '10s' });

/** In bytes of JSON: decisions are carried from run to run. */
const LARGEST_DECISIONS = 100_000;

export function handleUpdates(run: Campaign): void {
  setHandler(campaignStatusQuery, () => describe(run), {
    description: 'What this campaign is doing: stages, jobs, what it waits for and since when.',
  });
  setHandler(decideUpdate, (decision) => decide(run, decision), {
    description:
      'Decides about the results: { decision: approve | reject | change, by, comment?, jobs? }. `jobs` are the media jobs that `change` has made again.',
    validator: (decision: CampaignDecision) => {
      refuseUpdate(validateVerdict(run, decision));
    },
  });
  setHandler(pauseUpdate, (order) => pause(run, order), {
    description:
      'Starts no more jobs and sends no reminder until it is resumed: { by, reason? }. Running jobs continue.',
    validator: (order) => {
      const { paused } = run.progress;
      refuse(run, validateOrder(order), paused ? [`it is paused already, by ${paused.by}`] : []);
    },
  });
  setHandler(resumeUpdate, () => resume(run), {
    description: 'Resumes after a pause: { by }.',
    validator: (order) => {
      refuse(run, validateOrder(order), run.progress.paused ? [] : ['it is not paused']);
    },
  });
  setHandler(addMediaUpdate, (order) => addMedia(run, order), {
    description: 'Adds a media job: { name, tool, request, optional?, by }.',
    validator: (order) => {
      // Everything else is checked in the handler, together with the request.
      refuse(run, validateRoom(order, openCampaign(run)));
    },
  });
}

function decide(run: Campaign, { decision, by, ...order }: CampaignDecision): CampaignDecisionReceipt {
  const { progress } = run;
  // Other languages write null for what they leave out.
  const comment = order.comment ?? undefined;
  const jobs = [...new Set(order.jobs ?? [])];
  const round = progress.approval?.round ?? progress.rounds;
  // A reset applies accepted updates again, where another question or none may be open.
  if (progress.approval === null || run.verdict !== null) return { stage: progress.stage, round, stale: [] };
  const at = new Date().toISOString();
  progress.decisions.push({ decision, by, comment, ...(jobs.length > 0 ? { jobs } : {}), round, at });
  while (progress.decisions.length > 1 && bytesOf(progress.decisions) > LARGEST_DECISIONS)
    progress.decisions.shift();
  if (decision === 'change') for (const name of jobs) repeatJob(run, name);
  run.verdict = decision;
  save(run, 'approvals');
  return { stage: STAGE_AFTER[decision], round, stale: staleAfter(run, jobs) };
}

export const STAGE_AFTER = {
  approve: 'completed',
  reject: 'rejected',
  change: 'producing',
  expired: 'expired',
} as const satisfies Record<CampaignDecision['decision'] | 'expired', CampaignStage>;

function repeatJob(run: Campaign, name: string): void {
  const job = run.job(name);
  if (!job) return;
  job.repeats += 1;
  job.workflowId = null;
  setStatus(job, 'waiting');
}

/** Jobs that depend on repeated ones; they are not repeated, since a person pays only for what was named. */
function staleAfter(run: Campaign, again: string[]): string[] {
  return run.progress.jobs
    .filter((job) => !again.includes(job.name) && run.needsOf(job).some((name) => again.includes(name)))
    .map(({ name }) => name);
}

function pause(run: Campaign, { by, reason }: PauseOrder): CampaignReceipt {
  run.progress.paused ??= { by, reason: reason ?? '', since: new Date().toISOString() };
  publish(run);
  return receipt(run);
}

function resume(run: Campaign): CampaignReceipt {
  const { paused, approval } = run.progress;
  run.progress.paused = null;
  if (paused && approval) extendRound(approval, paused);
  publish(run);
  return receipt(run);
}

function receipt({ progress: { stage, paused } }: Campaign): CampaignReceipt {
  return { stage, paused };
}

async function addMedia(run: Campaign, order: AddMediaOrder): Promise<CampaignReceipt> {
  const wrong = await CancellationScope.nonCancellable(() => checkMedia(partsOf(order)));
  // Again after the activity: media may have been added, or a decision taken, during it.
  refuse(run, validateAddedMedia(order, openCampaign(run)), wrong);
  const { name, by, tool, request } = order;
  const { progress } = run;
  const optional = order.optional ?? false;
  progress.added[name] = { tool, request, optional };
  run.remark(`${name} was added by ${by}`);
  progress.jobs.push(newJob(name, 'media', optional, new Date().toISOString()));
  save(run, 'configuration');
  publish(run);
  return receipt(run);
}

/** Clients of other languages may send any value. */
function partsOf(order: Partial<AddMediaOrder> | null | undefined): Pick<AddMediaOrder, 'tool' | 'request'> {
  const { tool, request } = order ?? {};
  return { tool, request } as AddMediaOrder;
}

function openCampaign({ input, progress }: Campaign): OpenCampaign {
  const names = progress.jobs.map(({ name }) => name);
  return { names, asked: [{ ...input, carried: null }, progress.added] };
}

function validateVerdict(run: Campaign, order: CampaignDecision | undefined): string[] {
  const { jobs, approval, stage } = run.progress;
  if (run.cancelling) return validateEnd(run);
  if (approval === null || run.verdict !== null)
    return [`nothing is to be decided: the campaign is ${stage}`];
  if (!jobs.every(isOver)) return ['media was added meanwhile; it is asked again when that is made'];
  const media = jobs.filter((job) => job.kind === 'media');
  const problems = validateDecision(
    order,
    media.map(({ name }) => name),
  );
  const round = order?.round ?? approval.round;
  if (problems.length > 0 || round === approval.round) return problems;
  return [`round: the open question is number ${approval.round}`];
}

function validateEnd({ verdict, cancelling, isEnded, progress: { stage } }: Campaign): string[] {
  if (cancelling) return ['the campaign is being cancelled'];
  const isDecided = verdict === 'approve' || verdict === 'reject';
  if (isDecided) return [`the campaign is over: somebody has decided to ${verdict}`];
  return isEnded ? [`the campaign is over: it is ${stage}`] : [];
}

function refuse(run: Campaign, ...problems: string[][]): void {
  refuseUpdate([...validateEnd(run), ...problems.flat()]);
}
