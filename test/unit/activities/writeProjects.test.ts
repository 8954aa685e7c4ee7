/** P3: what one write does to a project, over real sockets; the service's own record is the judge. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createActivities } from '../../../src/activities';
import { type Api } from '../../../src/api/client';
import { bytesOf } from '../../../src/api/json';
import {
  type ProjectChange,
  type ProjectRef,
  type WriteOrder,
  type WriteReport,
} from '../../../src/contract';
import { SECRET, testApi } from '../../support/service/api';
import { PROJECT, type ProjectService, startProjectService } from '../../support/service/projectService';
import { activityEnvironment } from '../../support/servers/log';

let service: ProjectService;
let api: Api;

beforeEach(async () => {
  service = await startProjectService();
  api = testApi(service.url);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await api.close();
  await service.stop();
});

const set = (name: string, value: unknown = true): ProjectChange => ({
  steps: [{ at: `/${name}`, set: value }],
});

/** Half the time in which a PATCH of unknown outcome may arrive. */
const BRIEF_MS = 100;
/** How long a PATCH hangs. */
const HANG_MS = 1_500;
const PATIENT_MS = 600_000;

interface Limits {
  project?: ProjectRef;
  startToCloseTimeoutMs?: number;
  writeTimeoutMs?: number;
  patchTimeoutMs?: number;
}

/** The api, with calls that may take longer than `writeTimeoutMs`: a busy machine is slow. */
function patient(patchTimeoutMs: number): Api {
  return {
    ...api,
    getWorkspace: (request, options) => api.getWorkspace(request, { ...options, timeoutMs: PATIENT_MS }),
    getProject: (request, options) => api.getProject(request, { ...options, timeoutMs: PATIENT_MS }),
    updateProject: (request, options) =>
      api.updateProject(request, { ...options, timeoutMs: patchTimeoutMs }),
  };
}

/** Writes these changes, named as they stand here. */
async function write(
  changes: Record<string, ProjectChange>,
  {
    project = PROJECT,
    startToCloseTimeoutMs = 3_600_000,
    writeTimeoutMs = PATIENT_MS,
    patchTimeoutMs = PATIENT_MS,
  }: Limits = {},
): Promise<WriteReport> {
  const environment = activityEnvironment({ startToCloseTimeoutMs });
  const { writes } = createActivities(patient(patchTimeoutMs), { writeTimeoutMs });
  const asked = Object.entries(changes).map(([changeId, change]) => ({ changeId, change }));
  const order: WriteOrder = {
    organization: '42',
    projects: [{ project, space: '3', changes: asked }],
    isSlow: true,
  };
  const reports: WriteReport[] = await environment.run(writes.writeProjects, order);
  return reports[0] ?? { applied: [], refused: [] };
}

const KEPT = { kept: { deep: [1, null] } };

describe.each(['strong', 'none'] as const)('with ETags: %s', (etags) => {
  beforeEach(() => {
    service.etags = etags;
  });

  describe('one write', () => {
    test('P3: brings all changes in by one PATCH that rests on the read, and keeps what is not theirs', async () => {
      const report = await write({ a: set('a'), b: set('b/c', null), t: { fields: { title: 'Summer' } } });
      expect(report).toEqual({ applied: ['a', 'b', 't'], refused: [] });
      expect(service.project).toEqual({ title: 'Summer', data: { ...KEPT, a: true, b: { c: null } } });
      expect(service.patches).toHaveLength(1);
      expect(service.patches[0]).toMatchObject({
        ifMatch: etags === 'strong' ? '"v1"' : undefined,
        headers: { organization: '42', space: '3' },
      });
    });

    test('P3: keeps data that holds the credential as it is', async () => {
      service.writeOutside((data) => (data[SECRET] = `Api-Key ${SECRET}`));
      await write({ a: set('a') });
      expect(service.project.data).toEqual({ ...KEPT, [SECRET]: `Api-Key ${SECRET}`, a: true });
    });

    test('sends only what changes: no data for a title, nothing at all when everything is there', async () => {
      await write({ t: { fields: { title: 'Summer' } } });
      expect(service.patches.map(({ body }) => body)).toEqual([{ title: 'Summer' }]);
      const report = await write({ t: { fields: { title: 'Summer' } }, k: set('kept', KEPT.kept) });
      expect(report).toEqual({ applied: ['t', 'k'], refused: [] });
      expect(service.patches).toHaveLength(1);
    });
  });

  describe('P3: a project that is read without data', () => {
    test.each([
      ['none', undefined],
      ['null', null],
      ['a list', []],
    ])('%s: is never given any', async (_case, data) => {
      service.project = { title: 'Spring', data };
      const report = await write({ a: set('a'), m: { steps: [{ at: '', merge: { b: 1 } }] } });
      expect(report).toMatchObject({ applied: [], refused: [{ changeId: 'a' }, { changeId: 'm' }] });
      expect(report.refused[0]?.error).toContain('SEGUE_PROJECT_DATA_AT');
      expect(service.patches).toHaveLength(0);
    });

    test('can still have its title changed', async () => {
      service.project = { title: 'Spring' };
      expect(await write({ a: set('a'), t: { fields: { title: 'x' } } })).toMatchObject({ applied: ['t'] });
      expect(service.project).toEqual({ title: 'x' });
    });
  });

  test('a PATCH whose answer is too large to read was made', async () => {
    service.onPatch = () => ({ status: 200, body: 'x'.repeat(9 << 20) });
    expect(await write({ a: set('a') })).toEqual({ applied: ['a'], refused: [] });
    expect([service.reads, service.patches.length]).toEqual([1, 1]);
  });

  test('P3: a project with a number that would not survive gets no PATCH of its data', async () => {
    // As the service sends it: a number that JavaScript itself could not write.
    service.project = { data: { id: 'ID' } };
    service.asSent = (text) => text.replace('"ID"', '12345678901234567890');
    const report = await write({ a: set('a'), t: { fields: { title: 'x' } } });
    expect(report.applied).toEqual(['t']);
    const error = expect.stringContaining('12345678901234567890');
    expect(report.refused).toEqual([{ changeId: 'a', error }]);
    expect(service.patches.map(({ body }) => body)).toEqual([{ title: 'x' }]);
  });

  describe('a change that cannot be made', () => {
    test('fails alone when it does not fit the data', async () => {
      const report = await write({ a: set('a'), bad: set('kept/deep/0'), b: set('b') });
      expect(report.applied).toEqual(['a', 'b']);
      const error = expect.stringContaining('/kept/deep is a list');
      expect(report.refused).toEqual([{ changeId: 'bad', error }]);
      expect(service.patches).toHaveLength(1);
    });

    test("fails alone when the service refuses it, with the service's words", async () => {
      service.onPatch = ({ body }) =>
        JSON.stringify(body).includes('evil') ? { status: 400, body: { detail: 'no evil here' } } : undefined;
      const changes = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`c${n}`, set(`c${n}`)]));
      const report = await write({ ...changes, bad: set('x', 'evil'), last: set('last') });
      expect(report.refused).toEqual([{ changeId: 'bad', error: expect.stringContaining('no evil here') }]);
      expect(report.applied.sort()).toEqual([...Object.keys(changes), 'last'].sort());
      expect(Object.keys(service.project.data as object)).toHaveLength(22);
      expect(service.patches.length).toBeLessThan(20);
    });

    test('waits alone while it is not allowed', async () => {
      service.onPatch = ({ body }) => (body.title === undefined ? undefined : { status: 403 });
      const changes = { t: { fields: { title: 'x' } }, a: set('a'), b: set('b') };
      const trouble = { status: 403 };
      expect(await write(changes)).toMatchObject({ applied: ['a', 'b'], refused: [], trouble });
      expect(await write({ t: changes.t })).toMatchObject({ applied: [], refused: [], trouble });
    });
  });

  describe('a service that says no to everything', () => {
    test('a project that is not there refuses every change', async () => {
      const missing = { project: { resourcetype: 'campaign', id: 'none' } };
      const report = await write({ a: set('a'), b: set('b') }, missing);
      const error = expect.stringContaining('no such project');
      expect(report.refused).toEqual([
        { changeId: 'a', error, wholeProject: true },
        { changeId: 'b', error, wholeProject: true },
      ]);
    });

    test('so does one that goes between read and PATCH, asked once', async () => {
      service.onPatch = () => ({ status: 404, body: { detail: 'gone' } });
      const report = await write({ a: set('a'), b: set('b') });
      expect(report).toMatchObject({ applied: [], refused: [{ changeId: 'a' }, { changeId: 'b' }] });
      expect(service.patches).toHaveLength(1);
    });

    test.each([
      [401, undefined],
      [429, 7_000],
      [503, 7_000],
    ])('status %d refuses nothing: the changes are tried again later', async (status, retryAfterMs) => {
      const headers: Record<string, string> = retryAfterMs === undefined ? {} : { 'retry-after': '7' };
      service.onRead = () => ({ status, headers });
      const waiting = { applied: [], refused: [], trouble: { status, retryAfterMs } };
      expect(await write({ a: set('a') })).toMatchObject(waiting);
      service.onRead = () => undefined;
      service.onPatch = () => ({ status, headers });
      expect(await write({ a: set('a'), b: set('b') })).toMatchObject(waiting);
    });
  });

  test('a project that refuses change after change for long leaves the rest for later, among slow ones', async () => {
    service.onPatch = () => ({ status: 422 });
    const names = Array.from({ length: 64 }, (_, n) => `a${n}`);
    const changes = Object.fromEntries(names.map((name) => [name, set(name)]));
    // The limit is over before the first change is alone: the first pair is settled all the same.
    const report = await write(changes, { writeTimeoutMs: 1 });
    const refused = [{ changeId: 'a0' }, { changeId: 'a1' }];
    expect(report).toMatchObject({ applied: [], refused, trouble: { status: 422, isSlow: true } });
  });

  test('a project that may be read and not written is not asked for each of many changes', async () => {
    service.onPatch = () => ({ status: 403 });
    const names = Array.from({ length: 500 }, (_, n) => `a${n}`);
    const report = await write(Object.fromEntries(names.map((name) => [name, set(name)])));
    expect(report).toMatchObject({ applied: [], refused: [], trouble: { status: 403 } });
    expect(service.patches.length).toBeLessThan(30);
  });

  describe('P3: when every PATCH of two changes is answered with', () => {
    // The number of PATCHes tells: by halves when refused or denied, after another read when unknown or outdated.
    const classes = [
      { verdict: 'refused', isSettled: true, patches: 3, statuses: [400, 405, 413, 418, 422, 451] },
      { verdict: 'gone', isSettled: true, patches: 1, statuses: [404, 410] },
      { verdict: 'denied', isSettled: false, patches: 3, statuses: [403] },
      { verdict: 'later', isSettled: false, patches: 1, statuses: [401, 423, 425, 429] },
      // Without an ETag the project waits until the PATCH cannot arrive any more.
      {
        ...{ verdict: 'unknown', isSettled: false, statuses: [302, 408, 409, 499, 500] },
        patches: etags === 'strong' ? 2 : 1,
      },
      { verdict: 'outdated', isSettled: false, patches: 5, statuses: [412] },
    ];

    test.each(classes.flatMap(({ statuses, ...rest }) => statuses.map((status) => ({ status, ...rest }))))(
      '$status: $verdict',
      async ({ status, verdict, isSettled, patches }) => {
        // The shortest pauses.
        jest.spyOn(Math, 'random').mockReturnValue(0);
        service.onPatch = () => ({ status });
        const report = await write({ a: set('a'), b: set('b') });
        const refused = [{ changeId: 'a' }, { changeId: 'b' }];
        if (isSettled) expect(report).toMatchObject({ applied: [], refused });
        else expect(report).toMatchObject({ applied: [], refused: [], trouble: { status } });
        const isUnsettled = verdict === 'unknown' && etags === 'none';
        expect(report.trouble?.unsettledMs !== undefined).toBe(isUnsettled);
        expect(service.patches).toHaveLength(patches);
      },
    );
  });

  describe('P3: a PATCH that nobody knows of', () => {
    /** As the writer does: without an ETag, it writes again when the PATCH cannot arrive any more. */
    async function writeUntilSettled(patchTimeoutMs?: number): Promise<WriteReport> {
      let report = await write({ a: set('a') }, { writeTimeoutMs: BRIEF_MS, patchTimeoutMs });
      if (etags === 'strong') return report;
      expect(report).toMatchObject({ applied: [], trouble: { unsettledMs: expect.any(Number) } });
      // On a busy machine the first attempt may have no time to send its PATCH.
      while (report.trouble) {
        await sleep(2 * BRIEF_MS);
        report = await write({ a: set('a') });
      }
      return report;
    }

    test.each(['reset', 'hang'] as const)('was applied before a %s: it is not sent again', async (fault) => {
      service.onPatch = () => fault;
      const patchTimeoutMs = fault === 'hang' ? HANG_MS : undefined;
      expect(await writeUntilSettled(patchTimeoutMs)).toEqual({ applied: ['a'], refused: [] });
      expect(service.patches).toHaveLength(1);
      expect(service.project.data).toEqual({ ...KEPT, a: true });
    });

    test('was not applied: what is missing is sent again', async () => {
      service.onPatch = (_patch, count) => (count === 1 ? { status: 502 } : undefined);
      expect(await writeUntilSettled()).toEqual({ applied: ['a'], refused: [] });
      expect(service.patches).toHaveLength(2);
      expect(service.project.data).toEqual({ ...KEPT, a: true });
    });
  });

  test('P3: an attempt writes nothing after it stood still for so long that another may have begun', async () => {
    service.onRead = () => {
      const later = Date.now() + 6_000;
      jest.spyOn(Date, 'now').mockReturnValue(later);
      return undefined;
    };
    const { trouble } = await write({ a: set('a') });
    expect(trouble?.error).toContain('nothing was sent');
    expect(service.patches).toHaveLength(0);
  });

  test('P3: an attempt writes nothing in its last moments, where it could meet the next one', async () => {
    const { trouble } = await write({ a: set('a') }, { startToCloseTimeoutMs: 10_000 });
    expect(trouble?.error).toContain('no time left');
    expect(service.patches).toHaveLength(0);
  });
});

test.each([403, 404, 405, 410, 503])(
  'a workspace that is answered with %d refuses nothing: the changes are tried again later',
  async (status) => {
    service.workspaceStatus = status;
    expect(await write({ a: set('a') })).toMatchObject({ applied: [], refused: [], trouble: { status } });
  },
);

test('a writer of another workspace refuses its changes', async () => {
  jest.spyOn(api, 'getWorkspace').mockResolvedValue({ workspace: { id: 43 } });
  const error = 'the service calls this workspace 43, not 42';
  expect(await write({ a: set('a') })).toEqual({ applied: [], refused: [{ changeId: 'a', error }] });
});

test('what the service says about refused changes is cut to bytes', async () => {
  service.onPatch = () => ({ status: 422, body: { detail: '長い'.repeat(1_000) } });
  const { refused } = await write({ a: set('a') });
  expect(refused[0]?.error).toContain('長い');
  expect(bytesOf(refused[0]?.error)).toBeLessThan(510);
});

describe('only with ETags', () => {
  test('P3: somebody else who writes in between is noticed, and loses nothing', async () => {
    service.onPatch = (_patch, count) => {
      if (count <= 2) service.writeOutside((data) => (data[`outside${count}`] = count));
      return undefined;
    };
    expect(await write({ a: set('a') })).toEqual({ applied: ['a'], refused: [] });
    expect(service.patches).toHaveLength(3);
    expect(service.project.data).toEqual({ ...KEPT, outside1: 1, outside2: 2, a: true });
  });

  test('who always loses stops after some rounds and is tried again later', async () => {
    service.onPatch = () => {
      service.writeOutside((data) => (data.busy = service.patches.length));
      return undefined;
    };
    expect(await write({ a: set('a') })).toMatchObject({ applied: [], trouble: { status: 412 } });
    expect(service.patches.length).toBeLessThanOrEqual(5);
  });

  test('a weak ETag is not sent back: it never matches', async () => {
    service.etags = 'weak';
    expect(await write({ a: set('a') })).toMatchObject({ applied: ['a'] });
    expect(service.patches.map(({ ifMatch }) => ifMatch)).toEqual([undefined]);
  });
});

test('P3: no activity sends a bare PATCH beside the project writer', () => {
  const queues = Object.values(createActivities(api)).map((activities) => Object.keys(activities));
  expect(queues.flat()).toEqual(expect.arrayContaining(['getProject', 'writeProjects']));
  expect(queues.flat()).not.toContain('updateProject');
});
