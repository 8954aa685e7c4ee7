import { activityInfo, heartbeat } from '@temporalio/activity';
import { isRecord } from '../../validation/inputs';
import { type GuardOptions } from './guards';
import { type NotBegun, sendOnce, type SendWindow } from './once';

/** Outcomes that come close together are told together: each heartbeat is a write at the server. */
const GATHERED_MS = 100;

/**
 * Sends several at once, each at most once: what queued here would be unknown after a crash for nothing. Outcomes go to
 * the server with a heartbeat, a moment after they came, by the item's place, so that a worker that dies takes only
 * those along that it had no answer to. They are given in the order of what was to be sent. What is `known` from the
 * start is told with the first heartbeat.
 */
export async function sendChunkOnce<Item extends { item: number }, Outcome>(
  items: Item[],
  orderedByRun: string,
  guards: GuardOptions,
  send: (item: Item, window: SendWindow) => Promise<Outcome>,
  known: Readonly<Record<number, Outcome>> = {},
): Promise<(Outcome | NotBegun)[]> {
  const notes: Record<number, Outcome> = { ...known };
  let telling: NodeJS.Timeout | undefined;
  const tell = (): void => {
    telling = undefined;
    heartbeat(notes);
  };
  const sendAll = (window: SendWindow): Promise<Outcome[]> =>
    Promise.all(
      items.map(async (one) => {
        const outcome = await send(one, window);
        notes[one.item] = outcome;
        telling ??= setTimeout(tell, GATHERED_MS);
        return outcome;
      }),
    ).finally(() => {
      // The result tells all of them.
      clearTimeout(telling);
    });
  const sent = await sendOnce(orderedByRun, guards, sendAll, () => notes);
  if (Array.isArray(sent)) return sent;
  // Not even begun: a guard refused all of them. What the attempt before this one had told of is known all the same.
  const told = notesOfEarlierAttempt<Outcome>();
  return items.map(({ item }) => told[item] ?? sent);
}

function notesOfEarlierAttempt<Outcome>(): Record<number, Outcome> {
  const notes: unknown = activityInfo().heartbeatDetails;
  return isRecord(notes) ? (notes as Record<number, Outcome>) : {};
}
