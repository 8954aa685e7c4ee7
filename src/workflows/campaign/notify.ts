/** The notifications of a campaign, each event at most once. */
import { log } from '@temporalio/workflow';
import {
  type ApprovalRound,
  type CampaignJob,
  type CampaignStage,
  type NotificationStatus,
} from '../../contract';
import { adviceList, approvalAdvice } from '../../contract/advice';
import { bodyOf, inBackground, type Message, notifyOperator, notifyUser, oneLine } from '../lib/notify';
import { save } from './project';
import { type Campaign, isOver } from './state';

const MOST_JOBS_LISTED = 50;

export function notifyProgress(run: Campaign): void {
  const { progress } = run;
  const { key, notify } = run.input;
  if (!notify?.progress || run.isEnded) return;
  const message: Message = {
    category: 'agentProgress',
    event: `stage-${progress.stage}-${progress.since}`,
    title: 'Your campaign moves on',
    message: `${key} is ${progress.stage}.`,
    extra: extraOf(run),
  };
  inBackground(run, async () => {
    // Not retried: an old stage is of no use.
    await notifyUser(run, notify, message, { isStale: () => true });
  });
}

export function askApprover(run: Campaign, round: ApprovalRound): void {
  const { key } = run.input;
  notifyApprover(run, round, `the results of \`${key}\` are ready.`, {
    category: 'agentNeedsInput',
    event: `approval-${round.round}`,
    title: 'A campaign waits for your approval',
    message: `The results of ${key} are ready. Please look at them by ${round.expiresAt}.`,
  });
}

export function remindApprover(run: Campaign, round: ApprovalRound, sendBefore: string): void {
  const { key } = run.input;
  const message = {
    category: 'agentNudge' as const,
    event: `approval-${round.round}-reminder-${round.reminders}`,
    title: 'A campaign still waits for you',
    message: `Nobody has decided about ${key} yet. It is open until ${round.expiresAt}.`,
    sendBefore,
  };
  notifyApprover(run, round, `nobody has decided about \`${key}\` yet.`, message);
}

function notifyApprover(
  run: Campaign,
  { round, expiresAt }: ApprovalRound,
  greeting: string,
  message: Omit<Message, 'body' | 'extra'>,
): void {
  const commands = adviceList(approvalAdvice(run.input.key, round));
  const body = bodyOf(greeting, jobTable(run.progress.jobs), `It is open until ${expiresAt}.`, commands);
  const whole = { ...message, body, extra: { ...extraOf(run), round } };
  inBackground(run, () => sendToApprover(run, round, whole));
}

type End = Exclude<CampaignStage, 'preparing' | 'researching' | 'producing' | 'approving' | 'cancelled'>;

const ENDS: Record<End, Pick<Message, 'category' | 'title'> & { says: string }> = {
  completed: { category: 'agentTaskCompleted', title: 'Your campaign is done', says: 'is completed' },
  failed: { category: 'agentError', title: 'Your campaign failed', says: 'did not succeed' },
  rejected: { category: 'agentError', title: 'Your campaign was rejected', says: 'was not approved' },
  expired: {
    category: 'agentError',
    title: 'Your campaign expired',
    says: 'ended, since nobody decided in time',
  },
};

export async function notifyEnd(
  run: Campaign,
  end: End,
  problems: string[],
): Promise<NotificationStatus | null> {
  const { input, progress } = run;
  if (!input.notify) return null;
  const { says, ...kind } = ENDS[end];
  const last = progress.decisions.at(-1);
  const verdict = last?.comment ? [`${last.by} said: ${last.comment}`] : [];
  return notifyUser(run, input.notify, {
    ...kind,
    event: end,
    message: oneLine(`${input.key} ${says}${problems.length > 0 ? `: ${problems.join('; ')}` : '.'}`),
    body: bodyOf(
      `\`${input.key}\` ${says}.`,
      ...problems.slice(0, MOST_JOBS_LISTED).map((problem) => `- ${problem}`),
      ...verdict,
      jobTable(run.progress.jobs),
      `Its state is in ${input.project.resourcetype} ${input.project.id} at ${run.at}.`,
    ),
    extra: extraOf(run),
  });
}

/** Not sent any more once somebody has decided. */
async function sendToApprover(run: Campaign, round: number, message: Message): Promise<void> {
  const { approval, notify, scope } = run.input;
  if (!approval) return;
  const to = {
    ...notify,
    workspaceId: notify?.workspaceId ?? scope?.organization ?? '',
    userId: approval.from,
  };
  const isStale = (): boolean => run.progress.approval?.round !== round;
  const { status, reason = '' } = await notifyUser(run, to, message, { isStale });
  if (status === 'sent' || (status === 'notSent' && isStale())) return;
  const doubt = status === 'uncertain' ? 'may not have been notified' : 'was not notified';
  const text = oneLine(`${to.userId} ${doubt} (${message.event}): ${reason}`);
  log.warn('a notification was not sent', { event: message.event, status, reason });
  run.remark(text);
  save(run, 'lifecycle');
  // An approver who was not asked would let the campaign wait until it expires.
  if (message.category === 'agentNeedsInput')
    await notifyOperator(run, { ...message, title: 'An approver could not be asked', message: text });
}

function extraOf({ input, progress }: Campaign): Record<string, unknown> {
  return { campaign: input.key, stage: progress.stage };
}

/** In Markdown, with links to the results. */
export function jobTable(jobs: readonly CampaignJob[]): string {
  if (jobs.length === 0) return '';
  const listed = jobs.slice(0, MOST_JOBS_LISTED);
  const rest = jobs.length - listed.length;
  return [
    '| job | outcome | result |',
    '| --- | --- | --- |',
    ...listed.map((job) => `| ${job.name} | ${outcomeOf(job)} | ${job.links.map(linkTo).join(' ')} |`),
    ...(rest > 0 ? [`| and ${rest} more | | |`] : []),
  ].join('\n');
}

function outcomeOf(job: CampaignJob): string {
  const why = isOver(job) && job.error !== null ? `: ${oneLine(job.error)}` : '';
  return `${job.status}${why}`.replaceAll('|', '\\|');
}

function linkTo(address: string, index: number): string {
  const escaped = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return `[${index + 1}](${address.replace(/[()<>|]/g, escaped)})`;
}
