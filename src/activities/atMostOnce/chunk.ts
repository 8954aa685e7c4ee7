import { activityInfo, heartbeat } from '@temporalio/activity';
import { isRecord } from '../../api/json';
import { type GuardOptions, type NotBegun, sendOnce, type SendWindow } from './sendOnce';

/** Outcomes that come close together share a heartbeat: each heartbeat is a write at the server. */
const GATHERED_MS = 100;

/**
 * Sends all items at once, each at most once: an item that queued here would be unknown after a crash for nothing. A
 * heartbeat carries the outcomes to the server soon after they came, so that a worker that dies loses only those
 * without an answer. Outcomes are returned in the order of `items`; those `known` from the start are in the first
 * heartbeat.
 */
export async function sendChunkOnce<Item extends { item: number }, Outcome>(
  items: Item[],
  orderedByRun: string,
  guards: GuardOptions,
  send: (item: Item, window: SendWindow) => Promise<Outcome>,
  known: Readonly<Record<number, Outcome>> = {},
): Promise<(Outcome | NotBegun)[]> {
  const outcomes: Record<number, Outcome> = { ...known };
  let nextHeartbeat: NodeJS.Timeout | undefined;
  const sendHeartbeat = (): void => {
    nextHeartbeat = undefined;
    heartbeat(outcomes);
  };
  const sendAll = (window: SendWindow): Promise<Outcome[]> =>
    Promise.all(
      items.map(async (one) => {
        const outcome = await send(one, window);
        outcomes[one.item] = outcome;
        nextHeartbeat ??= setTimeout(sendHeartbeat, GATHERED_MS);
        return outcome;
      }),
    ).finally(() => {
      // The activity's result holds all outcomes.
      clearTimeout(nextHeartbeat);
    });
  const sent = await sendOnce(orderedByRun, guards, sendAll, () => outcomes);
  if (Array.isArray(sent)) return sent;
  // A guard refused the whole chunk. The outcomes in the heartbeat of an earlier attempt still hold.
  const earlier = outcomesOfEarlierAttempt<Outcome>();
  return items.map(({ item }) => earlier[item] ?? sent);
}

function outcomesOfEarlierAttempt<Outcome>(): Record<number, Outcome> {
  const details: unknown = activityInfo().heartbeatDetails;
  return isRecord(details) ? (details as Record<number, Outcome>) : {};
}
