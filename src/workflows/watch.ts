/** Asking the service, again and again, until what is followed is over. */
import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  type defineUpdate,
  isCancellation,
  setHandler,
  TemporalFailure,
} from '@temporalio/workflow';
import { FAILURE, type PollNow } from '../contract';
import { formatDuration } from '../durations';
import { alarm } from './alarm';
import { isEnding } from './ending';
import { type Following, thingOf } from './following';
import { abandoned, closeHold, openHold } from './hold';
import { nextNumber } from './question';
import { showDetails } from './show';

/** What is overdue is asked about this often at most. */
const OVERDUE_PACE_MS = 5 * 60_000;

/** A service may not know at once what it accepted; after this long it does not know it. */
export const MISSING_GRACE_MS = 5 * 60_000;

export interface Watch<News, Lost> {
  /** One question, without retries. `hanging` tells that the one before it got no answer at all. */
  ask: (hanging: boolean) => Promise<News>;
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
  const { progress, settings } = run;
  const { words = NOT_OVER } = watched;
  let hanging = false;
  let pause = !watched.atOnce;
  for (;;) {
    progress.pollingSince ??= new Date().toISOString();
    if (pause) await untilNextPoll(run);
    pause = true;
    endWhereAbandoned(run);
    const poll: Poll<News> = await ask(run, watched, hanging);
    if (poll.is === 'over') {
      closeHold(run);
      return poll.news;
    }
    showDetails(run);
    hanging = poll.is === 'hanging';
    progress.missingSince =
      poll.is === 'missing' ? (progress.missingSince ?? new Date().toISOString()) : null;
    // Taken while the question was on its way: whatever comes next must not forget it.
    endWhereAbandoned(run);
    const lost = isMissing(run) ? await watched.onMissing() : undefined;
    if (lost !== undefined) return lost;
    const waited = waitedMs(run);
    if (waited >= settings.giveUp) throw givenUp(run, words);
    if (waited >= settings.deadline && run.stage !== 'overdue') becomeOverdue(run, words);
    await watched.continueWhenLong();
  }
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
      await condition(() => isEnding(run) || (run.progress.polls > before && !run.asking));
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

type Poll<News> = { is: 'over'; news: News } | { is: 'running' | 'missing' | 'hanging' | 'no news' };

async function ask<News>(
  run: Following,
  watched: Watch<News, unknown>,
  hanging: boolean,
): Promise<Poll<News>> {
  run.progress.polls += 1;
  run.asking = true;
  try {
    const news = await watched.ask(hanging);
    run.lastError = null;
    return watched.isOver(news) ? { is: 'over', news } : { is: 'running' };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error;
    // A local activity fails with the failure itself, an ordinary one wraps it.
    const failure = error instanceof ActivityFailure ? (error.cause ?? error) : error;
    run.lastError = failure.message;
    watched.onUnasked?.(failure);
    const status = statusOf(failure);
    return { is: status === 404 ? 'missing' : status === undefined ? 'hanging' : 'no news' };
  } finally {
    run.asking = false;
  }
}

async function untilNextPoll(run: Following): Promise<void> {
  const { pollMin, pollMax } = run.settings;
  const usual = pollMin + Math.random() * (pollMax - pollMin);
  const pause = Math.round(run.stage === 'overdue' ? Math.max(usual, OVERDUE_PACE_MS) : usual);
  run.nextPollAt = new Date(Date.now() + pause).toISOString();
  try {
    await condition(() => run.pollAsked || run.decision !== null, pause, {
      summary: `until poll ${run.progress.polls + 1}`,
    });
  } finally {
    run.nextPollAt = null;
    run.pollAsked = false;
  }
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
  const reason = `${thingOf(run)} ${words.overdue} after ${formatDuration(run.settings.deadline)}`;
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
  const said = subject.lastWords?.();
  const reason = said ? `${words.givenUp}; ${said}` : words.givenUp;
  return ApplicationFailure.create({
    type: FAILURE.givenUp,
    nonRetryable: true,
    message: `Gave up on ${subject.inFull()}: ${reason}`,
    details: [{ key: input.key, ...subject.facts(), lastError }],
  });
}
