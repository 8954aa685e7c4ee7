/** Where the time of a row goes, by what the service saw. */

/** Seconds since the start. */
export interface Breakdown {
  firstPost: number;
  lastPost: number;
  firstPatch: number;
  lastPatch: number;
  firstNotification: number;
  halfOfNotifications: number;
  lastNotification: number;
}

interface Entry {
  kind: string;
  at: string;
}

export async function breakdownSince(sandboxUrl: string, since: Date): Promise<Breakdown> {
  const response = await fetch(`${sandboxUrl}/_sandbox/ledger`);
  const { entries } = (await response.json()) as { entries: Entry[] };
  const timesOf = (kind: string): number[] =>
    entries.flatMap((entry) => {
      const seconds = (Date.parse(entry.at) - since.getTime()) / 1_000;
      return entry.kind === kind && seconds >= 0 ? [seconds] : [];
    });
  const [posts, patches, notifications] = [timesOf('submit'), timesOf('patch'), timesOf('notify')];
  return {
    firstPost: posts[0] ?? NaN,
    lastPost: posts.at(-1) ?? NaN,
    firstPatch: patches[0] ?? NaN,
    lastPatch: patches.at(-1) ?? NaN,
    firstNotification: notifications[0] ?? NaN,
    halfOfNotifications: notifications[Math.floor(notifications.length / 2)] ?? NaN,
    lastNotification: notifications.at(-1) ?? NaN,
  };
}
