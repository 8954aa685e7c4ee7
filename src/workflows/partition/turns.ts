/**
 * In which order tasks are asked after. A poll ends before it came to all of them where the service is slow, or gives
 * some of them no answer at all: without turns, those at the end would never be asked after.
 */
import { type PollTurns, type TasksNews } from '../../contract';

/** Those that the last poll did not come to are first; those that gave no answer last, by whose is the longest ago. */
export function inTurn<Asked extends { place: number }>(
  all: Asked[],
  { first = [], last = [] }: Partial<PollTurns> = {},
): Asked[] {
  const rank = new Map([
    ...first.map((place, index) => [place, index - first.length] as const),
    ...last.map((place, index) => [place, index + 1] as const),
  ]);
  const rankOf = ({ place }: Asked): number => rank.get(place) ?? 0;
  // All others stay in their order.
  return [...all].sort((one, other) => rankOf(one) - rankOf(other));
}

/** One that gave no answer is behind all others until it gives one. */
export function nextTurns({ last = [] }: Partial<PollTurns> = {}, news: TasksNews): PollTurns {
  const { over, missing, known, unanswered = [], unasked = [] } = news;
  const isMoved = new Set([...over.map(({ item }) => item), ...missing, ...known, ...unanswered]);
  const behind = [...last.filter((place) => !isMoved.has(place)), ...unanswered];
  return { first: unasked.filter((place) => !behind.includes(place)), last: behind };
}
