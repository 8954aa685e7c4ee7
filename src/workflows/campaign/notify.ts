/** The notifications of a campaign, each event at most once. */
import { CancellationScope, condition, log } from '@temporalio/workflow';
import {
  type ApprovalRound,
  type CampaignJob,
  type CampaignStage,
  type NoticeOutcome,
  type NotifyTarget,
} from '../../contract';
import { isTooLate, type Message, tellOperator, tellUser } from '../lib/notify';
import { save } from './project';
import { type Campaign, isOver } from './state';

const MOST_JOBS_LISTED = 50;

export function notifyProgress(run: Campaign): void {
  const { input, progress } = run;
  const isEnd = ['completed', 'failed', 'rejected', 'expired', 'cancelled'].includes(progress.stage);
  if (!input.notify?.progress || isEnd) return;
  const message: Message = {
    category: 'agentProgress',
    event: `stage-${progress.stage}-${progress.since}`,
    title: 'Your campaign moves on',
    message: `${input.key} is ${progress.stage}.`,
    extra: extraOf(run),
  };
  inBackground(run, input.notify, message);
}

export function askApprover(run: Campaign, { round, expiresAt }: ApprovalRound): void {
  const { key } = run.input;
  const answers = [
    `- To take it as it is: \`segue campaign approve ${key} --round ${round} --by NAME\``,
    `- To have jobs made again: \`segue campaign change ${key} --round ${round} --jobs A,B --by NAME --comment TEXT\``,
    `- To stop here: \`segue campaign reject ${key} --round ${round} --by NAME --comment TEXT\``,
  ];
  const message: Message = {
    category: 'agentNeedsInput',
    event: `approval-${round}`,
    title: 'A campaign waits for your approval',
    message: `The results of ${key} are ready. Please look at them by ${expiresAt}.`,
    body: letter(
      `the results of \`${key}\` are ready.`,
      jobTable(run.progress.jobs),
      `It is open until ${expiresAt}.`,
      answers.join('\n'),
    ),
    extra: { ...extraOf(run), round },
  };
  notifyApprover(run, round, message);
}

/** `whenTooLate`: working hours were over before it could be sent. */
export function remindApprover(
  run: Campaign,
  { round, reminders, expiresAt }: ApprovalRound,
  sendBefore: string,
  whenTooLate: () => void,
): void {
  const { key } = run.input;
  const message: Message = {
    category: 'agentNudge',
    event: `approval-${round}-reminder-${reminders}`,
    title: 'A campaign still waits for you',
    message: `Nobody has decided about ${key} yet. It is open until ${expiresAt}.`,
    body: letter(
      `nobody has decided about \`${key}\` yet; it is open until ${expiresAt}.`,
      jobTable(run.progress.jobs),
      `\`segue campaign approve ${key} --round ${round} --by NAME\`, or \`change\`, or \`reject\``,
    ),
    extra: { ...extraOf(run), round },
    sendBefore,
  };
  notifyApprover(run, round, message, whenTooLate);
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

export async function notifyEnd(run: Campaign, end: End, problems: string[]): Promise<NoticeOutcome | null> {
  const { input, progress } = run;
  if (!input.notify) return null;
  const { says, ...kind } = ENDS[end];
  const last = progress.decisions.at(-1);
  const verdict = last?.comment ? [`${last.by} said: ${last.comment}`] : [];
  return tellUser(run, input.notify, {
    ...kind,
    event: end,
    message: short(`${input.key} ${says}${problems.length > 0 ? `: ${problems.join('; ')}` : '.'}`),
    body: letter(
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
function notifyApprover(
  run: Campaign,
  round: number,
  message: Message,
  whenTooLate: () => void = () => undefined,
): void {
  const { approval, notify, scope } = run.input;
  if (!approval) return;
  const workspaceId = notify?.workspaceId ?? scope?.organization ?? '';
  const isStale = (): boolean => run.progress.approval?.round !== round;
  const whenNotSent: WhenNotSent = (text, status) => {
    if (status === 'notSent' && isStale()) return;
    if (status === 'notSent' && isTooLate(message)) {
      whenTooLate();
      return;
    }
    run.remark(text);
    save(run, 'lifecycle');
    if (message.category === 'agentNeedsInput') notifyOperator(run, message, text);
  };
  inBackground(run, { ...notify, workspaceId, userId: approval.from }, message, whenNotSent, isStale);
}

/** An approver who was not asked would let the campaign wait until it expires. */
function notifyOperator(run: Campaign, message: Message, text: string): void {
  run.noticesInFlight += 1;
  CancellationScope.nonCancellable(() =>
    tellOperator(run, { ...message, title: 'An approver could not be asked', message: short(text) }),
  )
    .catch((error: unknown) => {
      log.error('the operator was not told', { error: String(error) });
    })
    .finally(() => {
      run.noticesInFlight -= 1;
    });
}

type WhenNotSent = (text: string, status: NoticeOutcome['status']) => void;

/** Continue-as-new waits for notifications, except for the retries of a progress notification, which nobody needs. */
function inBackground(
  run: Campaign,
  to: NotifyTarget,
  message: Message,
  whenNotSent: WhenNotSent = () => undefined,
  isStale?: () => boolean,
): void {
  run.noticesInFlight += 1;
  const rest = async (ms: number): Promise<void> => {
    if (message.category === 'agentProgress') run.noticesInFlight -= 1;
    await condition(() => isStale?.() ?? false, ms);
    if (message.category === 'agentProgress') run.noticesInFlight += 1;
  };
  const tries = { begun: Date.now(), rest, isStale };
  CancellationScope.nonCancellable(() => tellUser(run, to, message, undefined, tries))
    .then(({ status, reason = '' }) => {
      if (status === 'sent') return;
      log.warn('a notification was not sent', { event: message.event, status, reason });
      const doubt = status === 'uncertain' ? 'may not have been told' : 'was not told';
      whenNotSent(short(`${to.userId} ${doubt} (${message.event}): ${reason}`), status);
    })
    .catch((error: unknown) => {
      log.error('a notification was not sent', { event: message.event, error: String(error) });
    })
    .finally(() => {
      run.noticesInFlight -= 1;
    });
}

function extraOf({ input, progress }: Campaign): Record<string, unknown> {
  return { campaign: input.key, stage: progress.stage };
}

function letter(...paragraphs: string[]): string {
  return ['Hello,', ...paragraphs.filter((text) => text !== ''), 'Segue'].join('\n\n');
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
  const why = isOver(job) && job.error !== null ? `: ${short(job.error)}` : '';
  return `${job.status}${why}`.replaceAll('|', '\\|');
}

function linkTo(address: string, index: number): string {
  const escaped = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return `[${index + 1}](${address.replace(/[()<>|]/g, escaped)})`;
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}
