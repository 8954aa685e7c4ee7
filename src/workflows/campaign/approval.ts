/** Has a campaign's results approved: asks, reminds in working hours, and waits no longer than agreed. */
import { ActivityFailure, condition, proxyActivities } from '@temporalio/workflow';
import {
  type ApprovalRound,
  type CampaignPause,
  type CampaignVerdict,
  type SegueActivities,
} from '../../contract';
import { continueWhenLong, mayContinue } from './continuing';
import { askApprover, remindApprover } from './notices';
import { type Campaign, isOver, remark } from './run';
import { enterStage, noteChange } from './stage';

/**
 * Time zones change between releases of the runtime: worked out once and recorded, it replays. Not a local activity:
 * where its result, a question about the status and a signal meet in one workflow task, the SDK applies them in another
 * order when it replays (seen).
 */
const { workingTime } = proxyActivities<SegueActivities>({ startToCloseTimeout: '10s' });

/** `change` also where media was added meanwhile: then there is something to make, and to ask about again. */
export async function askForApproval(run: Campaign): Promise<CampaignVerdict | 'expired'> {
  const { progress } = run;
  const round = progress.approval ?? (await openRound(run));
  try {
    for (;;) {
      const isNews = (): boolean => isAnswered(run) || progress.paused !== null || mayContinue(run);
      await condition(isNews, untilNextMs(round));
      if (isAnswered(run)) return run.verdict ?? 'change';
      if (progress.paused) await standStill(run, round);
      else if (Date.now() >= Date.parse(round.expiresAt)) return 'expired';
      else if (isDue(round)) await remind(run, round);
      await continueWhenLong(run);
    }
  } finally {
    if (isAnswered(run) || Date.now() >= Date.parse(round.expiresAt)) progress.approval = null;
    run.verdict = null;
  }
}

/** What a pause took is given back, from the question on: nobody's time runs out while the campaign stands still. */
export function prolong(round: ApprovalRound, { since }: CampaignPause): void {
  const ms = Date.now() - Math.max(Date.parse(since), Date.parse(round.askedAt));
  const later = (time: string): string => new Date(Date.parse(time) + ms).toISOString();
  round.expiresAt = later(round.expiresAt);
  if (round.nextReminderAt) round.nextReminderAt = later(round.nextReminderAt);
}

async function standStill(run: Campaign, round: ApprovalRound): Promise<void> {
  await condition(() => isAnswered(run) || run.progress.paused === null || mayContinue(run));
  if (run.progress.paused === null && round.nextReminderAt)
    await planReminder(run, round, round.nextReminderAt);
}

async function openRound(run: Campaign): Promise<ApprovalRound> {
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
  enterStage(run, 'approving');
  askApprover(run, round);
  await planReminder(run, round);
  return round;
}

async function remind(run: Campaign, round: ApprovalRound): Promise<void> {
  round.reminders += 1;
  remindApprover(run, round);
  await planReminder(run, round);
}

async function planReminder(
  run: Campaign,
  round: ApprovalRound,
  notBefore = new Date(Date.now() + run.approvalTimes.remind).toISOString(),
): Promise<void> {
  const next = await workingTimeOf(run, notBefore);
  // Who is reminded after that can do nothing any more.
  round.nextReminderAt = Date.parse(next) < Date.parse(round.expiresAt) ? next : null;
  noteChange(run);
}

/** A zone that the worker before knew, and this one does not, must not end what is paid for. */
async function workingTimeOf(run: Campaign, notBefore: string): Promise<string> {
  const { timezone = 'UTC' } = run.progress.clock ?? {};
  try {
    return await workingTime({ notBefore, timezone });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    remark(run, `reminders go by UTC: ${error.cause?.message ?? error.message}`);
    return workingTime({ notBefore, timezone: 'UTC' });
  }
}

function isAnswered(run: Campaign): boolean {
  return run.verdict !== null || !run.progress.jobs.every(isOver);
}

function isDue({ nextReminderAt }: ApprovalRound): boolean {
  return nextReminderAt !== null && Date.now() >= Date.parse(nextReminderAt);
}

function untilNextMs({ expiresAt, nextReminderAt }: ApprovalRound): number {
  return Math.max(1, Math.min(Date.parse(expiresAt), Date.parse(nextReminderAt ?? expiresAt)) - Date.now());
}
