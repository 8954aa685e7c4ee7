/** Status of a campaign: its stage in lists, its details on the workflow's page, its status for programs. */
import { setCurrentDetails } from '@temporalio/workflow';
import { type CampaignJob, type CampaignStage, type CampaignStatus } from '../../contract';
import { adviceList, approvalAdvice } from '../../contract/advice';
import { lines, listStage, listStart } from '../steps/visibility';
import { notifyProgress } from './notify';
import { notSaved, save, saveJob, saveRefused } from './project';
import { type Campaign, isOver, setStatus, waitsFor } from './state';

const MOST_STAGES_SHOWN = 50;

export function showStart(run: Campaign): void {
  const { scope, project } = run.input;
  listStart({ tool: 'campaign', scope, write: { project, at: run.at } }, run.progress.stage);
  showDetails(run);
}

export function setStage(run: Campaign, stage: CampaignStage): void {
  const { progress } = run;
  if (progress.stage === stage) return;
  progress.stage = stage;
  progress.since = new Date().toISOString();
  progress.history.push({ stage, at: progress.since });
  if (progress.history.length > MOST_STAGES_SHOWN) progress.history.shift();
  listStage(stage);
  saveRefused(run);
  publish(run);
  notifyProgress(run);
}

export function publish(run: Campaign): void {
  showDetails(run);
  save(run, 'lifecycle');
}

export function endJob(
  run: Campaign,
  job: CampaignJob,
  status: CampaignJob['status'],
  error: string | null = null,
): void {
  setStatus(job, status, error);
  saveJob(run, job);
  publish(run);
}

export function describe(run: Campaign): CampaignStatus {
  const { input, progress } = run;
  const { stage, since, history, jobs, paused, decisions, approval, clock, remarks } = progress;
  const over = jobs.filter(isOver).length;
  const waits = waitsFor(run);
  // A campaign may only research.
  const percentOfNone = waits === null ? 100 : 0;
  return {
    key: input.key,
    ...{ stage, since, history },
    jobs: jobs.map((job) => ({ ...job, needs: run.needsOf(job) })),
    percent: jobs.length === 0 ? percentOfNone : Math.floor((100 * over) / jobs.length),
    waitsFor: waits,
    held: isHeld(run),
    paused,
    approval: approval && input.approval ? { ...approval, from: input.approval.from } : null,
    decisions,
    timezone: clock?.timezone ?? null,
    remarks: [...remarks, ...(clock?.remarks ?? [])],
    unsaved: notSaved(run),
  };
}

function isHeld(run: Campaign): boolean {
  const { jobs } = run.progress;
  const moves = jobs.some(({ status }) => status === 'running' || status === 'overdue');
  return (
    jobs.some(({ status }) => status === 'held') &&
    !moves &&
    run.due.size === 0 &&
    run.readyJobs().length === 0
  );
}

function showDetails(run: Campaign): void {
  const { input, progress } = run;
  const { stage, since, jobs, approval, paused, remarks, clock } = progress;
  const held = jobs.filter(({ status }) => status === 'held' || status === 'overdue');
  const failed = jobs.filter((job) => isOver(job) && job.error !== null);
  const waits = waitsFor(run);
  const paragraphs = [
    `The campaign is **${stage}** since ${since}: ${jobs.filter(isOver).length} of ${jobs.length} jobs are over.`,
    ...(waits ? [`It waits for ${waits.what}, since ${waits.since}.`] : []),
    ...(paused ? [`To resume: \`segue campaign resume ${input.key} --by NAME\``] : []),
    ...(approval
      ? [`To decide, until ${approval.expiresAt}:`, adviceList(approvalAdvice(input.key, approval.round))]
      : []),
    ...held.map(
      (job) =>
        `- ${job.name} is **${job.status}**: \`segue held\` says what to do (\`${job.workflowId ?? ''}\`)`,
    ),
    ...failed.map((job) => `- ${job.name} ${job.status}: ${job.error ?? ''}`),
    ...[...remarks, ...(clock?.remarks ?? [])].map((remark) => `- Remark: ${remark}`),
  ];
  setCurrentDetails(lines(...paragraphs));
}
