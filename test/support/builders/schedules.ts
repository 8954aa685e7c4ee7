/** Schedules for tests, with unique names and the results of their firings. */
import { randomUUID } from 'node:crypto';
import { type SegueClient } from '../../../src/client';
import { type FiringReport, type ScheduleReport } from '../../../src/client/schedules/report';
import { eventually } from '../eventually';

/** Called at the top of a test file: no schedule outlives its test. */
export function useSchedules(client: () => SegueClient) {
  const names: string[] = [];
  afterEach(async () => {
    const { schedules } = client();
    await Promise.all(names.splice(0).map((name) => schedules.delete(name).catch(() => undefined)));
  });
  return {
    newName: (): string => {
      const name = `s-${randomUUID()}`;
      names.push(name);
      return name;
    },

    /** Waits for a state of the schedule, and gives it. */
    until: (
      name: string,
      what: string,
      isThere: (report: ScheduleReport) => boolean,
    ): Promise<ScheduleReport> =>
      eventually(what, async () => {
        const report = await client().schedules.show(name);
        return isThere(report) ? report : undefined;
      }),
  };
}

export function endedOf({ firings }: Pick<ScheduleReport, 'firings'>): FiringReport[] {
  return firings.filter(({ status }) => status !== 'running' && status !== 'held');
}

/** Far in the future: the schedule fires only by `trigger` or `backfill`. */
export const NEVER_BY_ITSELF = { cron: '0 2 1 1 * 2099' };
