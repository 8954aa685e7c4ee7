/** How a campaign stands, for programs. */
import { type CampaignStatus } from '../../contract';
import { readyJobs } from './graph';
import { type Campaign, isOver } from './run';
import { notSaved } from './saving';
import { waitsFor } from './words';

export function describe(run: Campaign): CampaignStatus {
  const { input, progress } = run;
  const { stage, since, history, jobs, paused, decisions, approval, clock, remarks } = progress;
  const over = jobs.filter(isOver).length;
  const waits = waitsFor(run);
  // One that only reads up has no jobs to count.
  const percentOfNone = waits === null ? 100 : 0;
  return {
    key: input.key,
    ...{ stage, since, history, jobs },
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
    run.ended.size === 0 &&
    readyJobs(run).length === 0
  );
}
