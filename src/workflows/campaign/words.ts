/** What a campaign says of itself, in words. */
import { type CampaignJob } from '../../contract';
import { lines } from '../steps/visibility';
import { type Campaign, isOpen, isOver } from './run';

const MOST_JOBS_NAMED = 10;

/** What it waits for, and since when; null at its end. */
export function waitsFor(run: Campaign): { what: string; since: string } | null {
  const { progress, input } = run;
  const { stage, since, paused, approval, jobs } = progress;
  if (paused) return { what: `somebody to resume it; ${paused.by} paused it`, since: paused.since };
  switch (stage) {
    case 'preparing':
      return { what: 'the service to tell whether everything is there', since };
    case 'researching':
      return { what: 'drafts, activity and boards to be read', since };
    case 'producing': {
      const held = jobs.filter(({ status }) => status === 'held');
      const open = held.length > 0 ? held : jobs.filter(isOpen);
      const first = open.map((job) => job.since).sort()[0] ?? since;
      return {
        what: held.length > 0 ? `a person to decide about ${names(held)}` : names(open),
        since: first,
      };
    }
    case 'approving':
      return { what: `${input.approval?.from ?? ''} to approve`, since: approval?.askedAt ?? since };
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'rejected':
    case 'expired':
      return null;
  }
}

/** In Markdown, for the run's page. */
export function detailsOf(run: Campaign): string {
  const { input, progress } = run;
  const { stage, since, jobs, approval, paused, remarks, clock } = progress;
  const held = jobs.filter(({ status }) => status === 'held' || status === 'overdue');
  const failed = jobs.filter((job) => isOver(job) && job.error !== null);
  const waits = waitsFor(run);
  return lines(
    `The campaign is **${stage}** since ${since}: ${jobs.filter(isOver).length} of ${jobs.length} jobs are over.`,
    ...(waits ? [`It waits for ${waits.what}, since ${waits.since}.`] : []),
    ...(paused ? [`To go on: \`segue campaign resume ${input.key} --by NAME\``] : []),
    ...(approval
      ? [
          `To decide, until ${approval.expiresAt}: \`segue campaign approve ${input.key} --round ${approval.round} --by NAME\``,
        ]
      : []),
    ...held.map(
      (job) =>
        `- ${job.name} is **${job.status}**: \`segue held\` says what to do (\`${job.workflowId ?? ''}\`)`,
    ),
    ...failed.map((job) => `- ${job.name} ${job.status}: ${job.error ?? ''}`),
    ...[...remarks, ...(clock?.remarks ?? [])].map((remark) => `- Remark: ${remark}`),
  );
}

function names(jobs: CampaignJob[]): string {
  const named = jobs.slice(0, MOST_JOBS_NAMED).map(({ name }) => name);
  const rest = jobs.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ') || 'its jobs to begin';
}
