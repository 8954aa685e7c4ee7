/** Batches that a schedule starts, for tests: their manifests, their firings, and their submissions at the service. */
import { type FiringReport } from '../../../src/client/schedules/report';
import { type BatchStatus, type ScheduleTarget } from '../../../src/contract';
import { batchItemKey, firedKey } from '../../../src/contract/ids';
import { all } from '../all';
import { batchOf, cutouts, oneByOne, startPartly, untilStatus } from './batch';
import { useCampaigns } from './campaign';
import { useManifests } from './manifests';
import { readLedger } from '../service/sandbox';
import { useSchedules } from './schedules';

export const NIGHTS = ['2026-01-01T02:00:00Z', '2026-01-02T02:00:00Z', '2026-01-03T02:00:00Z'] as const;
export const [FIRST] = NIGHTS;
export const NIGHTLY = { spec: { cron: '0 2 * * *' }, timezone: 'UTC' };

/** The first items of a firing, by the keys that the service sees. */
export function itemsOf(name: string, time: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => batchItemKey(firedKey(name, time), index + 1));
}

/** Called at the top of a test file. */
export function useScheduledBatches() {
  const service = useCampaigns();
  const manifests = useManifests();
  const { newName, until } = useSchedules(service.client);
  const { client, sandbox, temporal } = service;
  const target = (): ScheduleTarget => ({ kind: 'batch', spec: { manifest: manifests.address } });

  return {
    ...{ client, manifests, newName, sandbox, target, temporal },

    newSchedule: async (): Promise<string> => {
      const name = newName();
      await client().schedules.create(name, { ...NIGHTLY, target: target() });
      return name;
    },

    /** Waits until this number of firings is over, and gives the last one. A batch with held items is over. */
    untilOver: async (name: string, count = 1): Promise<FiringReport> => {
      const { firings } = await until(name, `the end of firing ${count}`, (report) => {
        const over = report.firings.filter(({ status }) => status !== 'running');
        return over.length === count;
      });
      const [last] = firings;
      if (!last) throw new Error(`${name} never fired`);
      return last;
    },

    /** Which items were submitted, by the keys that the service saw; each of them once. */
    submitted: async (): Promise<string[]> => {
      const { entries, summary } = await readLedger(sandbox.url);
      expect(summary).toMatchObject({ duplicates: 0 });
      const accepted = entries.filter(({ kind, applied }) => kind === 'submit' && applied);
      return accepted.map(({ requestId }) => String(requestId).replace(/\.submit\.\d+$/, '')).sort();
    },

    /** Four items in two partitions, of which the given number was handed over. */
    leaving:
      (handedOver: number, byWhom?: string) =>
      async (key: string, token: string): Promise<void> => {
        const { partitions, ...spec } = batchOf(cutouts(sandbox.url, 4), 2, { key, source: manifests.name });
        const each = await all(partitions);
        const given = { ...spec, partitions: oneByOne(each.slice(0, handedOver)) };
        const by = { token: byWhom ?? token };
        if (handedOver < each.length) await startPartly(client(), given, by);
        else await client().batch.start(given, by);
        // The batch counts a partition as handed over only after its first report.
        const isReported = ({ partitions }: BatchStatus): boolean => partitions.handedOver === handedOver;
        await untilStatus(await client().batch.get(key), 'the partitions that were handed over', isReported);
      },
  };
}
