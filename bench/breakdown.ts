/** How the wall-clock time of a row is spent, from Temporal's histories and the service's ledger. */
import { type Run } from './runs';
import { readLedger } from './stage';

/** Seconds since the start; undefined where it did not happen. */
export type Breakdown = [moment: string, seconds: number | undefined][];

export async function breakdownSince(since: Date, runs: Run[], sandboxUrl: string): Promise<Breakdown> {
  const secondsOf = (time: Date): number => (time.getTime() - since.getTime()) / 1_000;
  const startsOf = (isWanted: (run: Run) => boolean): number[] =>
    inOrder(runs.filter(isWanted).map(({ startTime }) => secondsOf(startTime)));
  const requestsOf = async (operation: string): Promise<number[]> => {
    const entries = await readLedger(sandboxUrl, operation);
    return inOrder(entries.map(({ at }) => secondsOf(new Date(at))).filter((seconds) => seconds >= 0));
  };
  const posts = await requestsOf('remove-background');
  const patches = await requestsOf('update-project');
  const notifications = await requestsOf('notify');
  return [
    ['first run', startsOf(() => true)[0]],
    // Also counts a partition that continued as new, which happens only after thousands of events.
    ['last partition', startsOf(({ type }) => type === 'batchPart').at(-1)],
    ['first POST', posts[0]],
    ['last POST', posts.at(-1)],
    ['first PATCH', patches[0]],
    ['last PATCH', patches.at(-1)],
    ['first notification', notifications[0]],
    ['half', notifications[Math.floor(notifications.length / 2)]],
    ['last', notifications.at(-1)],
  ];
}

function inOrder(seconds: number[]): number[] {
  return seconds.sort((one, other) => one - other);
}
