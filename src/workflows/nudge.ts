import {
  ActivityFailure,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { LONGEST_CALL_MS, type NotificationStatus, type NudgeInput, type SegueActivities } from '../contract';
import { nudgeSubject } from '../contract/ids';
import { validateNudge } from '../validation/inputs';
import { wasReset } from './lib/atMostOnce';
import { bodyOf, isTooLate, type Message, notifyUser } from './lib/notify';
import { workingHours } from './lib/workingHours';
import { refuseUnsafeStart, requireInput } from './lib/refuse';

const WEEK_MS = 7 * 24 * 3_600_000;
const NOT_DUE = 'it does not wait any more';
const WEEK_OVER = 'its week is over; the next look nudges, if it still waits';

const { isStillDue } = proxyActivities<SegueActivities>({
  summary: 'checks whether the nudge is still due',
  startToCloseTimeout: LONGEST_CALL_MS,
  // Limited, because the next outlook plans the nudge again.
  scheduleToCloseTimeout: '1h',
});

/** Notifies one person that something waits. Its id names subject and week, so the person is notified once. */
export async function nudge(input: NudgeInput): Promise<NotificationStatus> {
  requireInput(validateNudge(input));
  const { workflowId } = workflowInfo();
  refuseUnsafeStart(workflowId, workflowId);
  const sender = { requestName: workflowId, progress: { reset: wasReset(undefined) } };
  for (;;) {
    const { until, date } = await untilWorkingHours(input);
    const message: Message = { ...messageOf(input), sendBefore: until };
    const whyNot = isOver(input.week, date) ? WEEK_OVER : await reasonNotToNotify(input);
    if (whyNot !== null) return { status: 'notSent', reason: whyNot };
    if (isTooLate(message)) continue;
    const outcome = await notifyUser(sender, input.to, message);
    if (outcome.status !== 'notSent' || !isTooLate(message)) return outcome;
  }
}

async function untilWorkingHours({ timezone }: NudgeInput): Promise<{ until: string; date: string }> {
  for (;;) {
    const hours = await workingHours(timezone);
    if ('until' in hours) return hours;
    setCurrentDetails(`Waits for working hours, until ${hours.opensAt}.`);
    await sleep(Math.max(1, Date.parse(hours.opensAt) - Date.now()));
  }
}

/** Outlooks of the next week plan their own nudges. */
function isOver(week: string, today: string): boolean {
  return Date.parse(today) - Date.parse(week) >= WEEK_MS;
}

/** Null when the nudge is still due: what waited at night may be done in the morning. */
async function reasonNotToNotify({ nudge, project, scope, place }: NudgeInput): Promise<string | null> {
  try {
    return (await isStillDue({ scope, project, at: place, nudge })) ? null : NOT_DUE;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return `nobody knows whether it still waits: ${error.cause?.message ?? error.message}`;
  }
}

function messageOf({ nudge, project, week }: NudgeInput): Message {
  const where = `${project.resourcetype} ${project.id}`;
  const facts = { event_type: 'outlook.nudge', subject: nudgeSubject(nudge), week };
  const shared = { category: 'agentNudge' as const, event: 'nudge', extra: facts };
  if (nudge.about === 'approval') {
    return {
      ...shared,
      title: 'An approval is waiting',
      message: `The results of ${where} wait for a decision.`,
      body: bodyOf(
        `The results of \`${where}\` wait for somebody to approve or reject them, or to ask for a change.`,
      ),
    };
  }
  const since = nudge.since.slice(0, 10);
  return {
    ...shared,
    title: 'A board is silent',
    message: `Board ${nudge.board} of ${where} has not changed since ${since}.`,
    body: bodyOf(
      `Board \`${nudge.board}\`, which belongs to \`${where}\`, has not been seen to change since ${since}. Is it still in use?`,
    ),
  };
}
