/** Has a campaign's results approved: asks, reminds in working hours, and waits no longer than agreed. */
import { condition } from '@temporalio/workflow';
import { type ApprovalRound, type CampaignPause, type CampaignVerdict } from '../../contract';
import { type Place, workingHours, workingTime } from '../lib/workingHours';
import { continueWhenLong, mayContinue } from './continuing';
import { askApprover, remindApprover } from './notices';
import { type Campaign, isOver, remark } from './run';
import { enterStage, noteChange } from './stage';

/** `change` also where media was added meanwhile: then there is something to make, and to ask about again. */
export async function askForApproval(run: Campaign): Promise<CampaignVerdict | 'expired'> {
  const { progress } = run;
  const round = progress.approval ?? (await openRound(run));
  try {
    for (;;) {
      const planned = round.nextReminderAt;
      const isNews = (): boolean =>
        isAnswered(run) ||
        progress.paused !== null ||
        round.nextReminderAt !== planned ||
        mayRemind(run, round) ||
        mayContinue(run);
      await condition(isNews, untilNextMs(round));
      if (isAnswered(run)) return run.verdict ?? 'change';
      if (progress.paused) await standStill(run, round);
      else if (hasExpired(round)) return 'expired';
      // A long history goes first: the next run reminds, and has room for as long as that may take.
      else if (mayRemind(run, round) && !mayContinue(run)) await remind(run, round);
      await continueWhenLong(run);
    }
  } finally {
    if (isAnswered(run) || hasExpired(round)) progress.approval = null;
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

/** It may be later than was planned, and night: then it waits for the morning. */
async function remind(run: Campaign, round: ApprovalRound): Promise<void> {
  const hours = await workingHours(placeOf(run));
  if ('opensAt' in hours) {
    planFor(run, round, hours.opensAt);
    return;
  }
  // Planned before it is sent: should it be too late, that moves the plan.
  const next = await workingTime(placeOf(run), inTime(run));
  if (isAnswered(run) || run.progress.paused || hasExpired(round)) return;
  round.reminders += 1;
  planFor(run, round, next);
  remindApprover(run, round, hours.until, () => {
    // Due again, at once: which is when working hours begin.
    round.nextReminderAt = new Date().toISOString();
  });
}

async function planReminder(run: Campaign, round: ApprovalRound, notBefore = inTime(run)): Promise<void> {
  planFor(run, round, await workingTime(placeOf(run), notBefore));
}

function inTime({ approvalTimes }: Campaign): string {
  return new Date(Date.now() + approvalTimes.remind).toISOString();
}

function planFor(run: Campaign, round: ApprovalRound, next: string): void {
  // Who is reminded after that can do nothing any more.
  round.nextReminderAt = Date.parse(next) < Date.parse(round.expiresAt) ? next : null;
  noteChange(run);
}

function placeOf(run: Campaign): Place {
  const { timezone = 'UTC' } = run.progress.clock ?? {};
  return {
    timezone,
    onUnknown: (words) => {
      remark(run, words);
    },
  };
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

/** Not while somebody is still being told something, which may take an hour: one message at a time. */
function mayRemind({ notices }: Campaign, round: ApprovalRound): boolean {
  return isDue(round) && notices === 0;
}

function untilNextMs(round: ApprovalRound): number {
  const { expiresAt, nextReminderAt } = round;
  const next = nextReminderAt === null || isDue(round) ? expiresAt : nextReminderAt;
  return Math.max(1, Math.min(Date.parse(expiresAt), Date.parse(next)) - Date.now());
}
