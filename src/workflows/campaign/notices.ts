/** What people are told of a campaign, each event at most once. */
import { CancellationScope, condition, log } from '@temporalio/workflow';
import {
  type ApprovalRound,
  type CampaignJob,
  type CampaignStage,
  type NoticeOutcome,
  type NotifyTarget,
} from '../../contract';
import { isTooLate, type Message, tellOperator, tellUser } from '../lib/notify';
import { type Campaign, isOver, remark } from './run';
import { save } from './saving';

const MOST_JOBS_LISTED = 50;

/** Stage changes, for who wants to watch. */
export function tellProgress(run: Campaign): void {
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
      tableOf(run),
      `It is open until ${expiresAt}.`,
      answers.join('\n'),
    ),
    extra: { ...extraOf(run), round },
  };
  tellApprover(run, round, message);
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
      tableOf(run),
      `\`segue campaign approve ${key} --round ${round} --by NAME\`, or \`change\`, or \`reject\``,
    ),
    extra: { ...extraOf(run), round },
    sendBefore,
  };
  tellApprover(run, round, message, whenTooLate);
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

export async function tellEnd(run: Campaign, end: End, problems: string[]): Promise<NoticeOutcome | null> {
  const { input, progress } = run;
  if (!input.notify) return null;
  const { says, ...words } = ENDS[end];
  const last = progress.decisions.at(-1);
  const verdict = last?.comment ? [`${last.by} said: ${last.comment}`] : [];
  return tellUser(run, input.notify, {
    ...words,
    event: end,
    message: short(`${input.key} ${says}${problems.length > 0 ? `: ${problems.join('; ')}` : '.'}`),
    body: letter(
      `\`${input.key}\` ${says}.`,
      ...problems.slice(0, MOST_JOBS_LISTED).map((problem) => `- ${problem}`),
      ...verdict,
      tableOf(run),
      `Its state is in ${input.project.resourcetype} ${input.project.id} at ${run.at}.`,
    ),
    extra: extraOf(run),
  });
}

/** What was not sent before somebody decided is not sent any more: it shows, and asks about, what was before. */
function tellApprover(
  run: Campaign,
  round: number,
  message: Message,
  whenTooLate: () => void = () => undefined,
): void {
  const { approval, notify, scope } = run.input;
  if (!approval) return;
  const workspaceId = notify?.workspaceId ?? scope?.organization ?? '';
  const isStale = (): boolean => run.progress.approval?.round !== round;
  const whenNotSent: WhenNotSent = (words, status) => {
    if (status === 'notSent' && isStale()) return;
    if (status === 'notSent' && isTooLate(message)) {
      whenTooLate();
      return;
    }
    remark(run, words);
    save(run, 'lifecycle');
    if (message.category === 'agentNeedsInput') tellOperatorOf(run, message, words);
  };
  inBackground(run, { ...notify, workspaceId, userId: approval.from }, message, whenNotSent, isStale);
}

/** Nobody else knows that somebody is waited for who does not know it. */
function tellOperatorOf(run: Campaign, message: Message, words: string): void {
  run.notices += 1;
  CancellationScope.nonCancellable(() =>
    tellOperator(run, { ...message, title: 'An approver could not be asked', message: short(words) }),
  )
    .catch((error: unknown) => {
      log.error('the operator was not told', { error: String(error) });
    })
    .finally(() => {
      run.notices -= 1;
    });
}

type WhenNotSent = (words: string, status: NoticeOutcome['status']) => void;

/**
 * Work does not wait for a notification; a run that continues as new does. For the next try of telling a stage it does
 * not: that one is over soon, and a campaign of many jobs has a long history by then.
 */
function inBackground(
  run: Campaign,
  to: NotifyTarget,
  message: Message,
  whenNotSent: WhenNotSent = () => undefined,
  isStale?: () => boolean,
): void {
  run.notices += 1;
  const rest = async (ms: number): Promise<void> => {
    if (message.category === 'agentProgress') run.notices -= 1;
    // What nobody needs to know any more keeps nothing waiting.
    await condition(() => isStale?.() ?? false, ms);
    if (message.category === 'agentProgress') run.notices += 1;
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
      run.notices -= 1;
    });
}

function extraOf({ input, progress }: Campaign): Record<string, unknown> {
  return { campaign: input.key, stage: progress.stage };
}

function letter(...paragraphs: string[]): string {
  return ['Hello,', ...paragraphs.filter((text) => text !== ''), 'Segue'].join('\n\n');
}

/** In Markdown: what became of each job, with links to what it made. */
export function tableOf({ progress }: Pick<Campaign, 'progress'>): string {
  const { jobs } = progress;
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
