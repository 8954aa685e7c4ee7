/** The approval of a campaign: asks, reminds in working hours, expires. */
import { condition } from '@temporalio/workflow';
import { type ApprovalRound, type CampaignVerdict, type Pause } from '../../contract';
import { workingHours } from '../lib/workingHours';
import { askApprover, remindApprover } from './notify';
import { type Campaign, isOver } from './state';
import { publish, setStage } from './status';

/** Returns `change` also when media was added during the wait: it is produced, and the approver is asked again. */
export async function askForApproval(run: Campaign): Promise<CampaignVerdict | 'expired'> {
  const { progress } = run;
  const round = progress.approval ?? openRound(run);
  try {
    for (;;) {
      const isNews = (): boolean =>
        isAnswered(run) || progress.paused !== null || mayRemind(run, round) || run.mayContinue();
      await condition(isNews, untilNextMs(round));
      if (isAnswered(run)) return run.verdict ?? 'change';
      if (progress.paused) await waitForResume(run);
      else if (hasExpired(round)) return 'expired';
      // The next run has room in its history for the retries of a reminder.
      else if (mayRemind(run, round) && !run.mayContinue()) await remind(run, round);
      await run.continueWhenLong();
    }
  } finally {
    if (isAnswered(run) || hasExpired(round)) progress.approval = null;
    run.verdict = null;
  }
}

/** Adds the time of the pause since the question: an approval does not expire while the campaign is paused. */
export function extendRound(round: ApprovalRound, { since }: Pause): void {
  const ms = Date.now() - Math.max(Date.parse(since), Date.parse(round.askedAt));
  const later = (time: string): string => new Date(Date.parse(time) + ms).toISOString();
  round.expiresAt = later(round.expiresAt);
  if (round.nextReminderAt) round.nextReminderAt = later(round.nextReminderAt);
}

function waitForResume(run: Campaign): Promise<void> {
  return condition(() => isAnswered(run) || run.progress.paused === null || run.mayContinue());
}

function openRound(run: Campaign): ApprovalRound {
  const { progress, approvalTimes } = run;
  const now = Date.now();
  progress.rounds += 1;
  const round: ApprovalRound = {
    round: progress.rounds,
    askedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + approvalTimes.expires).toISOString(),
    reminders: 0,
    nextReminderAt: null,
  };
  progress.approval = round;
  setStage(run, 'approving');
  askApprover(run, round);
  planFor(run, round, inTime(run));
  return round;
}

/** A late reminder may be due outside working hours: then it waits until they begin. */
async function remind(run: Campaign, round: ApprovalRound): Promise<void> {
  const hours = await workingHours(run.progress.clock?.timezone ?? 'UTC');
  if ('opensAt' in hours) {
    planFor(run, round, hours.opensAt);
    return;
  }
  if (isAnswered(run) || run.progress.paused || hasExpired(round)) return;
  round.reminders += 1;
  planFor(run, round, inTime(run));
  remindApprover(run, round, hours.until);
}

function inTime({ approvalTimes }: Campaign): string {
  return new Date(Date.now() + approvalTimes.remind).toISOString();
}

function planFor(run: Campaign, round: ApprovalRound, next: string): void {
  // Not after the question expires.
  round.nextReminderAt = Date.parse(next) < Date.parse(round.expiresAt) ? next : null;
  publish(run);
}

function isAnswered(run: Campaign): boolean {
  return run.verdict !== null || !run.progress.jobs.every(isOver);
}

function hasExpired({ expiresAt }: ApprovalRound): boolean {
  return Date.now() >= Date.parse(expiresAt);
}

function isDue({ nextReminderAt }: ApprovalRound): boolean {
  return nextReminderAt !== null && Date.now() >= Date.parse(nextReminderAt);
}

/** One message at a time: retries may take an hour. */
function mayRemind({ noticesInFlight }: Campaign, round: ApprovalRound): boolean {
  return isDue(round) && noticesInFlight === 0;
}

function untilNextMs(round: ApprovalRound): number {
  const { expiresAt, nextReminderAt } = round;
  const next = nextReminderAt === null || isDue(round) ? expiresAt : nextReminderAt;
  return Math.max(1, Math.min(Date.parse(expiresAt), Date.parse(next)) - Date.now());
}
