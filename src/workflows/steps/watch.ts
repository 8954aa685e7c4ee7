/** Asking the service, again and again, until what is followed is over. */
import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  type defineUpdate,
  isCancellation,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { FAILURE, PAUSE, type PollNow } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { alarm } from '../lib/alarm';
import { askAfter, type Question } from './asking';
import { isEnding } from './ending';
import { type Following, thingOf } from './following';
import { abandoned, closeHold, openHold } from './hold';
import { nextNumber } from './question';
import { showDetails } from './visibility';

/** What is overdue is asked about this often at most. */
const OVERDUE_PACE_MS = 5 * 60_000;

/** A service may not know at once what it accepted; after this long it does not know it. */
export const MISSING_GRACE_MS = 5 * 60_000;

export interface Watch<News, Lost> {
  /** One question, without retries. */
  ask: (question: Question) => Promise<News>;
  /** How long an answer may take; a poll's time, unless told. */
  longestMs?: number;
  isOver: (news: News) => boolean;
  /** Asked before the first pause, too: what is followed may have been over for days. */
  atOnce?: boolean;
  /** The service has not known it for a while. What is given here ends the watch; nothing goes on asking. */
  onMissing: () => Promise<Lost | undefined> | undefined;
  /** Looks at a question that could not even be asked; throws where waiting would change nothing. */
  onUnasked?: (failure: Error) => void;
  continueWhenLong: () => Promise<void>;
  /** What is said when it takes too long; that it is not over, unless told. */
  words?: typeof NOT_OVER;
}

const NOT_OVER = { overdue: 'is not over', givenUp: 'the service never said it was over' };

/** Asks until it is over, and gives the news of that. Errors, even hours of them, end nothing. */
export async function watch<News, Lost = never>(
  run: Following,
  watched: Watch<News, Lost>,
): Promise<News | Lost> {
  let pauseMs = watched.atOnce ? 0 : nextPause(run);
  for (;;) {
    run.progress.pollingSince ??= new Date().toISOString();
    const poll = await askAfter(run, { pauseMs, longestMs: watched.longestMs }, (question) =>
      ask(run, watched, question),
    );
    if (poll?.is === 'over') {
      closeHold(run);
      return poll.news;
    }
    endWhereAbandoned(run);
    const lost = poll && (await goOn(run, watched, poll));
    if (lost !== undefined) return lost;
    pauseMs = poll ? nextPause(run) : 0;
  }
}

/** What follows from an answer that was not the end. */
async function goOn<Lost>(
  run: Following,
  {
    onMissing,
    continueWhenLong,
    words = NOT_OVER,
  }: Pick<Watch<unknown, Lost>, 'onMissing' | 'continueWhenLong' | 'words'>,
  { is }: Poll<unknown>,
): Promise<Lost | undefined> {
  const { progress, settings } = run;
  showDetails(run);
  progress.missingSince = is === 'missing' ? (progress.missingSince ?? new Date().toISOString()) : null;
  const lost = isMissing(run) ? await onMissing() : undefined;
  if (lost !== undefined) return lost;
  const waited = waitedMs(run);
  if (waited >= settings.giveUp) throw givenUp(run, words);
  if (waited >= settings.deadline && run.stage !== 'overdue') becomeOverdue(run, words);
  await continueWhenLong();
  return undefined;
}

/** `describe` is the answer of the run's `state` query. */
export function handlePollNow<State>(
  run: Following,
  update: ReturnType<typeof defineUpdate<State, [PollNow]>>,
  describe: () => State,
): void {
  setHandler<State, [PollNow], typeof update>(
    update,
    async () => {
      const before = run.progress.polls;
      run.pollAsked = true;
      await condition(() => isEnding(run) || run.progress.polls > before);
      return describe();
    },
    {
      description:
        'Asks the service at once instead of at the next poll: {}. Answers with the state after it.',
      // Asked also when a reset applies it again, maybe where no poll is near: who waited for one then would keep the run
      // from continuing as new, and so from ever coming to it.
      validator: () => {
        if (run.nextPollAt !== null) return;
        throw ApplicationFailure.nonRetryable(
          `Nothing was asked: the run is ${run.stage} and waits for no poll`,
          FAILURE.badDecision,
        );
      },
    },
  );
}

type Poll<News> = { is: 'over'; news: News } | { is: 'running' | 'missing' | 'no news' };

async function ask<News>(
  run: Following,
  watched: Watch<News, unknown>,
  question: Question,
): Promise<Poll<News>> {
  try {
    const news = await watched.ask(question);
    run.progress.polls = question.n;
    run.lastError = null;
    return watched.isOver(news) ? { is: 'over', news } : { is: 'running' };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const failure = error.cause ?? error;
    if (failure instanceof ApplicationFailure && failure.type === PAUSE) {
      // The server keeps no pause that outlasts the time limit of the run, nor one whose second attempt was taken away.
      await sleep(question.pauseMs);
      return ask(run, watched, { ...question, pauseMs: 0 });
    }
    run.progress.polls = question.n;
    run.lastError = failure.message;
    watched.onUnasked?.(failure);
    return { is: statusOf(failure) === 404 ? 'missing' : 'no news' };
  }
}

/** With the workflow's own randomness, which is the same on replay. */
function nextPause({ settings: { pollMin, pollMax }, stage }: Following): number {
  const usual = pollMin + Math.random() * (pollMax - pollMin);
  return Math.round(stage === 'overdue' ? Math.max(usual, OVERDUE_PACE_MS) : usual);
}

function endWhereAbandoned(run: Following): void {
  if (run.decision) throw abandoned(run, run.decision);
}

/** For what is asked after now: it may have become something else. */
function waitedMs({ progress: { pollingSince } }: Following): number {
  return pollingSince === null ? 0 : Date.now() - Date.parse(pollingSince);
}

/** Whether the service has not known it for so long that it does not know it. */
function isMissing({ progress }: Following): boolean {
  const since = progress.missingSince;
  return since !== null && Date.now() - Date.parse(since) >= MISSING_GRACE_MS;
}

function becomeOverdue(run: Following, words: typeof NOT_OVER): void {
  const { lastError, settings } = run;
  const late = `${thingOf(run)} ${words.overdue} after ${formatDuration(settings.deadline)}`;
  // It may well be over: a credential that was withdrawn looks like this, too.
  const reason = lastError === null ? late : `${late}; the last question met: ${lastError}`;
  const question = { n: nextNumber(run), why: 'overdue' as const, reason };
  openHold(run, question);
  alarm(run, question);
}

/** Of a complete answer, even an error; undefined where there was none. */
function statusOf(failure: Error): number | undefined {
  if (!(failure instanceof ApplicationFailure)) return undefined;
  const [facts] = (failure.details ?? []) as [{ status?: number | null }?];
  return facts?.status ?? undefined;
}

function givenUp(run: Following, words: typeof NOT_OVER): ApplicationFailure {
  const { input, subject, lastError } = run;
  const said = subject.lastWords();
  const reason = said ? `${words.givenUp}; ${said}` : words.givenUp;
  return ApplicationFailure.create({
    type: FAILURE.givenUp,
    nonRetryable: true,
    message: `Gave up on ${subject.inFull()}: ${reason}`,
    details: [{ key: input.key, ...subject.facts(), lastError }],
  });
}
