import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  sleep,
  startChild,
  TimeoutFailure,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  DEFAULT_CAMPAIGN_AT,
  DEFAULT_OUTLOOK,
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  type NoticeOutcome,
  type Nudge,
  NUDGE_WORKFLOW,
  type NudgeInput,
  type NudgeOutcome,
  type OutlookInput,
  type OutlookNews,
  type OutlookResult,
  type SegueActivities,
} from '../contract';
import { changeIdOf, nudgeSubject, nudgeWorkflowId, outlookWorkflowId } from '../contract/ids';
import { isAlreadyStarted } from './lib/alreadyStarted';
import { tellingItsEnd } from './lib/endNews';
import { newMailbox } from './lib/mailbox';
import { readOutlookSettings } from './steps/settings';
import { refuseUnsafeStart } from './steps/start';
import { workingHours, workingTime } from './lib/workingHours';
import { isOutdated, writeToProject } from './steps/write';

const LONGEST_LOOK = '6h';

const { readOutlook } = proxyActivities<SegueActivities>({
  summary: 'looks at drafts, activity and boards, and compares them with the last look',
  // Long lists take their time; an attempt goes on where the one before it stopped.
  startToCloseTimeout: '30m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  // The next look sees whatever this one could not, so trouble is not waited out for ever.
  scheduleToCloseTimeout: LONGEST_LOOK,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Looks once, writes what is news into the project, and nudges whoever lets something wait. */
export async function outlook(input: OutlookInput): Promise<OutlookResult> {
  const { silentAfter } = readOutlookSettings(input);
  refuseUnsafeStart(input.key, outlookWorkflowId(input.key));
  return tellingItsEnd([], () => lookAndTell(input, silentAfter));
}

async function lookAndTell(input: OutlookInput, silentAfter: number): Promise<OutlookResult> {
  const at = input.at ?? DEFAULT_CAMPAIGN_AT;
  show('Looking at drafts, activity and boards.');
  const news = await look(input, at, silentAfter);
  const written = await write(input, at, news);
  const nudges: OutlookResult['nudges'] = [];
  for (const due of news.nudges) nudges.push({ ...due, notified: await nudgeOnce(input, at, news, due) });
  if (written === 'outdated') throw outdated();
  show(written ? `The outlook of ${news.week} is in the project.` : 'Nothing is new; nothing was written.');
  const { key } = input;
  const finishedAt = new Date().toISOString();
  return { key, week: news.week, written, nudges, remarks: news.remarks, finishedAt };
}

async function look(input: OutlookInput, at: string, silentAfterMs: number): Promise<OutlookNews> {
  const { scope, project, drafts, activity, boards, weeks, notify } = input;
  try {
    return await readOutlook({
      ...{ scope, project, at, drafts, activity, boards, silentAfterMs },
      weeks: weeks ?? DEFAULT_OUTLOOK.weeks,
      nudge: Boolean(notify),
    });
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (cause instanceof ApplicationFailure)
      throw ApplicationFailure.nonRetryable(`Nothing could be looked at: ${cause.message}`, cause.type);
    if (!(cause instanceof TimeoutFailure)) throw error;
    const why = cause.cause?.message ?? 'nobody took it up';
    throw ApplicationFailure.nonRetryable(
      `Nothing could be looked at for ${LONGEST_LOOK}: ${why}`,
      FAILURE.unreachable,
    );
  }
}

/**
 * Whether there was something to write. A nudge stands in the outlook before it is sent, so that it is sent once. Where
 * the run was reset after it had looked, it may stand there from before that, and nobody else would send it.
 */
async function write(
  { project, scope }: OutlookInput,
  at: string,
  { outlook, lookedBy }: OutlookNews,
): Promise<boolean | 'outdated'> {
  if (outlook === null) return false;
  show('Writing the outlook into the project.');
  const change = { steps: [{ at: `${at}/outlook`, set: outlook }] };
  const changeId = changeIdOf(workflowInfo().workflowId, `outlook-${uuid4().slice(0, 8)}`);
  const order = { project, scope, change, changeId };
  const outcome = await writeToProject(newMailbox(), order, { onlyBy: lookedBy }).catch((error: unknown) => {
    if (!isOutdated(error)) throw error;
    return 'outdated' as const;
  });
  if (outcome === 'outdated') return outcome;
  if (!outcome.ok)
    throw ApplicationFailure.nonRetryable(
      `The project did not take the outlook, and nobody was nudged: ${outcome.error}`,
      FAILURE.refused,
    );
  return true;
}

function outdated(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    'The outlook was not written: the run was reset after it had seen what it would write, and others may have written since',
    FAILURE.refused,
  );
}

/**
 * By a run of its own, whose id every look of this week has for this subject: two at the same time nudge once. That run
 * outlives the look and waits for working hours, where it must. The look waits for it only while they last: the next
 * looks of its schedule are skipped as long as it is open.
 */
async function nudgeOnce(
  { project, scope, notify }: OutlookInput,
  place: string,
  { organization, timezone, nudgeWeek: week }: OutlookNews,
  nudge: Nudge,
): Promise<NudgeOutcome> {
  if (!notify || organization === null) return { status: 'before' };
  const subject = nudgeSubject(nudge);
  const nudging: NudgeInput = { to: notify, nudge, project, week, timezone, scope, place };
  // Asked for each: the project, or the nudge before, may have taken its time.
  const hours = await workingHours({ timezone });
  try {
    const run = await startChild<(input: NudgeInput) => Promise<NoticeOutcome>>(NUDGE_WORKFLOW, {
      workflowId: nudgeWorkflowId({ organization, project, at: place, week, subject }),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: ParentClosePolicy.ABANDON,
      args: [nudging],
    });
    if ('opensAt' in hours) return { status: 'planned', at: hours.opensAt };
    const outcome = await unlessLaterThan(hours.until, run.result());
    return outcome ?? { status: 'planned', at: await workingTime({ timezone }, hours.until) };
  } catch (error) {
    if (isAlreadyStarted(error)) return { status: 'before' };
    if (isCancellation(error) || !(error instanceof ChildWorkflowFailure)) throw error;
    return { status: 'uncertain', reason: error.cause?.message ?? error.message };
  }
}

/** Undefined where it is not there by then. */
async function unlessLaterThan<T>(time: string, awaited: Promise<T>): Promise<T | undefined> {
  const waiting = new CancellationScope();
  const isLater = waiting.run(() => sleep(Math.max(1, Date.parse(time) - Date.now())));
  try {
    return await Promise.race([awaited, isLater.then(() => undefined)]);
  } finally {
    waiting.cancel();
  }
}

function show(words: string): void {
  setCurrentDetails(words);
}
