/**
 * P3: a PATCH without an answer may be applied late, also after the next read: what is written meanwhile must not be lost
 * to it. Most of the time is spent waiting until it can no longer arrive, so the tests run side by side.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../src/activities';
import {
  HEARTBEAT_EVERY_MS,
  type WriteOrder,
  type WriteReport,
  type WriteTrouble,
} from '../../../src/contract';
import { testApi } from '../../support/service/api';
import { PROJECT, type ProjectService, startProjectService } from '../../support/service/projectService';
import { activityEnvironment } from '../../support/servers/log';

/** An attempt waits for twice as long, and has a heartbeat meanwhile. */
const TIMEOUT_MS = HEARTBEAT_EVERY_MS;
/** How long after the read that it rests on a PATCH can arrive. A timer may fire a little early. */
const LATEST_MS = { reset: TIMEOUT_MS, hang: 2 * TIMEOUT_MS - 10 };
const KEPT = { kept: { deep: [1, null] } };

/** One attempt of the activity, by a worker that may be gone before it ends. */
interface Attempt {
  environment: MockActivityEnvironment;
  report: Promise<WriteReport>;
  /** What the server hands to the next attempt: the newest heartbeat. */
  heartbeatDetails: unknown;
}

interface Writing {
  service: ProjectService;
  /** Begins to set these members to true. */
  begin: (names: string[], heartbeatDetails?: unknown) => Attempt;
  /** As the writer does: writes again when no PATCH can arrive any more, until nothing is left. */
  write: (names: string[]) => Promise<void>;
}

async function withService(
  etags: ProjectService['etags'],
  work: (writing: Writing) => Promise<void>,
): Promise<void> {
  const service = await startProjectService({ ...KEPT });
  service.etags = etags;
  const api = testApi(service.url);
  const { writeProjects } = createActivities(api, { writeTimeoutMs: TIMEOUT_MS }).writes;
  const begin = (names: string[], heartbeatDetails?: unknown): Attempt => {
    const info = { startToCloseTimeoutMs: 600_000, heartbeatDetails };
    const environment = activityEnvironment(info);
    const changes = names.map((changeId) => ({
      changeId,
      change: { steps: [{ at: `/${changeId}`, set: true }] },
    }));
    const order: WriteOrder = { organization: '42', projects: [{ project: PROJECT, changes }], isSlow: true };
    const reports: Promise<WriteReport[]> = environment.run(writeProjects, order);
    const report = reports.then(([one]) => one ?? { applied: [], refused: [] });
    const attempt: Attempt = { environment, report, heartbeatDetails };
    environment.on('heartbeat', (details: unknown) => (attempt.heartbeatDetails = details));
    return attempt;
  };
  const write = async (names: string[]): Promise<void> => {
    for (let left = names; left.length > 0;) {
      const { applied, trouble } = await begin(left).report;
      await untilSettled(trouble);
      left = left.filter((name) => !applied.includes(name));
    }
  };
  try {
    await work({ service, begin, write });
  } finally {
    await api.close();
    await service.stop();
  }
}

async function untilSettled(trouble: WriteTrouble | undefined): Promise<void> {
  await sleep(Math.max(0, trouble?.unsettledMs ?? 0));
}

/** The first PATCH that holds `name` is applied as late as it can arrive. Resolves when it was sent. */
function untilLate(service: ProjectService, name: string, late: 'reset' | 'hang'): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    service.onPatch = ({ body }) => {
      if (!isFirst || !Object.hasOwn(body.data as object, name)) return undefined;
      isFirst = false;
      resolve();
      // One that is refused by its If-Match may come whenever it likes.
      return { late, ms: service.etags === 'strong' ? Infinity : LATEST_MS[late] };
    };
  });
}

/** The worker is gone: nothing of this attempt is sent any more, and no heartbeat of it counts. */
function lose(attempt: Attempt): unknown {
  const { environment, report, heartbeatDetails } = attempt;
  report.catch(() => undefined);
  environment.cancel();
  return heartbeatDetails;
}

test.concurrent.each([
  ['strong', 'reset'],
  ['strong', 'hang'],
  ['none', 'reset'],
  ['none', 'hang'],
] as const)(
  'P3: with ETags: %s, a PATCH that is applied late, after a %s, takes nothing away from the next change',
  (etags, late) =>
    withService(etags, async ({ service, write }) => {
      void untilLate(service, 'a', late);
      await write(['a']);
      await write(['b']);
      service.applyLate();
      expect(service.project.data).toEqual({ ...KEPT, a: true, b: true });
    }),
);

test.concurrent.each(['strong', 'none'] as const)(
  'P3: with ETags: %s, a late PATCH whose worker is gone takes nothing away either: the next attempt knows of it',
  (etags) =>
    withService(etags, async ({ service, begin, write }) => {
      const sent = untilLate(service, 'a', 'hang');
      const first = begin(['a']);
      await sent;
      const { applied, trouble } = await begin(['a'], lose(first)).report;
      expect(applied).toEqual(etags === 'strong' ? ['a'] : []);
      await untilSettled(trouble);
      await write(['a', 'b']);
      service.applyLate();
      expect(service.project.data).toEqual({ ...KEPT, a: true, b: true });
    }),
);

test.concurrent(
  'P3: without ETags, an attempt that is called back says until when its PATCH may arrive',
  () =>
    withService('none', async ({ service, begin }) => {
      const sent = untilLate(service, 'b', 'hang');
      const { onPatch } = service;
      // By halves, so that there is something to report when the PATCH of the second one is lost.
      service.onPatch = (patch, count) => (count === 1 ? { status: 400 } : onPatch(patch, count));
      const { environment, report } = begin(['a', 'b']);
      await sent;
      environment.cancel();
      const { applied, refused, trouble } = await report;
      expect({ applied, refused }).toEqual({ applied: ['a'], refused: [] });
      // The activity is over, and it says how long the writer waits.
      await untilSettled(trouble);
      expect(await begin(['b', 'c']).report).toMatchObject({ applied: ['b', 'c'] });
      service.applyLate();
      expect(service.project.data).toEqual({ ...KEPT, a: true, b: true, c: true });
    }),
);

test.concurrent(
  'P3: without ETags, an attempt that is called back before it begins hands on until when the PATCH of the one before may arrive',
  () =>
    withService('none', async ({ service, begin, write }) => {
      const sent = untilLate(service, 'a', 'hang');
      const first = begin(['a']);
      await sent;
      const second = begin(['a'], lose(first));
      second.environment.cancel();
      const { applied, trouble } = await second.report;
      expect(applied).toEqual([]);
      expect(trouble?.unsettledMs).toBeGreaterThan(0);
      await untilSettled(trouble);
      await write(['b']);
      service.applyLate();
      expect(service.project.data).toEqual({ ...KEPT, a: true, b: true });
    }),
);

test.concurrent('P3: with ETags, a PATCH that is applied between the next read and PATCH is noticed', () =>
  withService('strong', async ({ service, begin }) => {
    service.onPatch = (_patch, count) => {
      if (count === 2) service.applyLate();
      return count === 1 ? { late: 'hang', ms: Infinity } : undefined;
    };
    expect(await begin(['a']).report).toEqual({ applied: ['a'], refused: [] });
    expect(service.patches).toHaveLength(2);
    expect(service.project.data).toEqual({ ...KEPT, a: true });
  }),
);
