import {
  ApplicationFailure,
  ChildWorkflowFailure,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  DEFAULT_CAMPAIGN_AT,
  DEFAULT_OUTLOOK,
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  type NotificationStatus,
  type Nudge,
  NUDGE_WORKFLOW,
  type NudgeInput,
  type NudgeOutcome,
  OUTDATED_CHANGE,
  type OutlookInput,
  type OutlookNews,
  type OutlookResult,
  type SegueActivities,
} from '../contract';
import { changeIdOf, nudgeSubject, nudgeWorkflowId, outlookWorkflowId } from '../contract/ids';
import { validateOutlook } from '../validation/inputs';
import { msOf } from '../contract/durations';
import { withEndReport } from './lib/listeners';
import { startOnce, unwrapped } from './lib/otherRuns';
import { workingHours } from './lib/workingHours';
import { refuseUnsafeStart, requireInput } from './lib/refuse';
import { ProjectWrites, writeToProject } from './steps/write';

const { readOutlook } = proxyActivities<SegueActivities>({
  summary: 'reads drafts, activity and boards, and compares them with the last outlook',
  // Each attempt reads long lists from the beginning.
  startToCloseTimeout: '2h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  // Limited, because the next outlook of the schedule reads everything again.
  scheduleToCloseTimeout: '6h',
});

/** Reads once, writes what is new into the project, and nudges the user about what waits. */
export async function outlook(input: OutlookInput): Promise<OutlookResult> {
  requireInput(validateOutlook(input));
  const silentAfter = msOf(input.silentAfter ?? DEFAULT_OUTLOOK.silentAfter);
  refuseUnsafeStart(input.key, outlookWorkflowId(input.key));
  return withEndReport([], () => readAndWrite(input, silentAfter));
}

async function readAndWrite(input: OutlookInput, silentAfter: number): Promise<OutlookResult> {
  const at = input.at ?? DEFAULT_CAMPAIGN_AT;
  setCurrentDetails('Reading drafts, activity and boards.');
  const news = await readNews(input, at, silentAfter);
  const written = await write(input, at, news);
  const nudges: OutlookResult['nudges'] = [];
  for (const due of news.nudges) nudges.push({ ...due, notified: await nudgeOnce(input, at, news, due) });
  if (written === 'outdated')
    throw ApplicationFailure.nonRetryable(
      'The outlook was not written: the run was reset after it had seen what it would write, and others may have written since',
      FAILURE.refused,
    );
  setCurrentDetails(
    written ? `The outlook of ${news.week} is in the project.` : 'Nothing is new; nothing was written.',
  );
  const { key } = input;
  const finishedAt = new Date().toISOString();
  return { key, week: news.week, written, nudges, remarks: news.remarks, finishedAt };
}

function readNews(input: OutlookInput, at: string, silentAfterMs: number): Promise<OutlookNews> {
  const { scope, project, drafts, activity, boards, weeks, notify } = input;
  const order = {
    ...{ scope, project, at, drafts, activity, boards, silentAfterMs },
    weeks: weeks ?? DEFAULT_OUTLOOK.weeks,
    nudge: Boolean(notify),
  };
  return unwrapped(() => readOutlook(order));
}

/**
 * Gives whether there was something to write. The outlook with its nudges is written before they are sent, so that each is
 * sent once. When a reset run finds that its outlook is outdated, the nudges are still sent: the outlook may name them already, and
 * then no other run would send them.
 */
async function write(
  { project, scope }: OutlookInput,
  at: string,
  { outlook, lookedBy }: OutlookNews,
): Promise<boolean | 'outdated'> {
  if (outlook === null) return false;
  setCurrentDetails('Writing the outlook into the project.');
  const change = { steps: [{ at: `${at}/outlook`, set: outlook }] };
  const changeId = changeIdOf(workflowInfo().workflowId, `outlook-${uuid4().slice(0, 8)}`);
  const order = { project, scope, change, changeId, onlyBy: lookedBy };
  const outcome = await writeToProject(new ProjectWrites(), order);
  if (outcome?.ok) return true;
  if (outcome?.error === OUTDATED_CHANGE) return 'outdated';
  throw ApplicationFailure.nonRetryable(
    `The project did not take the outlook, and nobody was nudged: ${outcome?.error ?? 'no outcome'}`,
    FAILURE.refused,
  );
}

/**
 * A nudge is a separate run. Its id names subject and week, so two outlooks at the same time nudge once. It may outlive the
 * outlook to wait for working hours. The outlook waits for it only during working hours: its schedule skips firings meanwhile.
 */
async function nudgeOnce(
  { project, scope, notify }: OutlookInput,
  place: string,
  { organization, timezone, nudgeWeek: week }: OutlookNews,
  nudge: Nudge,
): Promise<NudgeOutcome> {
  if (!notify || organization === null) return { status: 'before' };
  const subject = nudgeSubject(nudge);
  const input: NudgeInput = { to: notify, nudge, project, week, timezone, scope, place };
  // Read for each nudge: the one before may have taken long.
  const hours = await workingHours(timezone);
  try {
    const run = await startOnce({
      workflow: NUDGE_WORKFLOW,
      workflowId: nudgeWorkflowId({ organization, project, at: place, week, subject }),
      input,
    });
    if (!run) return { status: 'before' };
    if ('opensAt' in hours) return { status: 'planned', at: hours.opensAt };
    const evening = sleep(Math.max(1, Date.parse(hours.until) - Date.now())).then(() => undefined);
    const outcome = await Promise.race([run.result() as Promise<NotificationStatus>, evening]);
    if (outcome) return outcome;
    const next = await workingHours(timezone);
    return { status: 'planned', at: 'opensAt' in next ? next.opensAt : hours.until };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ChildWorkflowFailure)) throw error;
    return { status: 'uncertain', reason: error.cause?.message ?? error.message };
  }
}
