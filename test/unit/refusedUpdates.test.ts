/** Changes and orders that the server does not take for a while. */
import { type Client, ServiceError } from '@temporalio/client';
import { ProjectsClient } from '../../src/client/projects';
import { sendUpdate } from '../../src/client/run';
import { pollNowUpdate } from '../../src/contract';
import { testConfig } from '../support/servers/temporal';

const [FAILED_PRECONDITION, PERMISSION_DENIED, UNAVAILABLE] = [9, 7, 14];
const DONE = { ok: true };

beforeEach(() => jest.useFakeTimers({ now: 0 }));
afterEach(() => jest.useRealTimers());

function refusal(code: number): ServiceError {
  const cause = Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} });
  return new ServiceError('refused', { cause });
}

/** A change that the server answers like this, and when it was asked. */
function patch(answer: (asked: number) => Promise<unknown>) {
  const askedAt: number[] = [];
  const executeUpdateWithStart = (): Promise<unknown> => answer(askedAt.push(Date.now()));
  const temporal = { workflow: { executeUpdateWithStart } } as unknown as Client;
  const projects = new ProjectsClient(temporal, testConfig({ organization: '1' }), {});
  const outcome = projects.patch({ resourcetype: 'document', id: 'd' }, { fields: { title: 'Summer' } });
  outcome.catch(() => undefined);
  return { outcome, askedAt };
}

test.each([
  ['while the workflow task of the writer fails', FAILED_PRECONDITION],
  ['while the server is unavailable', UNAVAILABLE],
])('P2: refused %s, it is asked for again until it is taken', async (_when, code) => {
  const { outcome, askedAt } = patch((asked) =>
    asked < 3 ? Promise.reject(refusal(code)) : Promise.resolve(DONE),
  );
  await jest.advanceTimersByTimeAsync(1_000);
  expect(askedAt).toEqual([0, 200, 400]);
  expect(await outcome).toMatchObject(DONE);
});

test.each([
  ['its run takes none for 20 s', FAILED_PRECONDITION, 20_000],
  ['the server is unavailable for a minute', UNAVAILABLE, 60_000],
])('refused since %s, it ends with the error', async (_why, code, longestMs) => {
  const error = refusal(code);
  const { outcome, askedAt } = patch(() => Promise.reject(error));
  await jest.advanceTimersByTimeAsync(600_000);
  const lastAt = askedAt.at(-1);
  expect(lastAt).toBeGreaterThan(longestMs);
  expect(lastAt).toBeLessThan(longestMs + 1_000);
  await expect(outcome).rejects.toMatchObject({ cause: code === UNAVAILABLE ? error : error.cause });
});

test('refused for another reason, it is not asked for again', async () => {
  const error = refusal(PERMISSION_DENIED);
  const { outcome, askedAt } = patch(() => Promise.reject(error));
  await jest.advanceTimersByTimeAsync(600_000);
  expect(askedAt).toEqual([0]);
  await expect(outcome).rejects.toBe(error);
});

test.each([
  ['while the workflow task of the run fails', FAILED_PRECONDITION],
  ['while the server is unavailable', UNAVAILABLE],
])('P1: an order that is repeated %s keeps its id', async (_when, code) => {
  const ids: string[] = [];
  const executeUpdate = (_name: string, { updateId }: { updateId: string }): Promise<unknown> =>
    ids.push(updateId) < 3 ? Promise.reject(refusal(code)) : Promise.resolve(DONE);
  const withDeadline = (_at: number, call: () => Promise<unknown>): Promise<unknown> => call();
  const temporal = { withDeadline, workflow: { getHandle: () => ({ executeUpdate }) } } as unknown as Client;
  const answer = sendUpdate(temporal, 'media/k', pollNowUpdate, {});
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await answer).toEqual(DONE);
  expect(ids).toEqual([ids[0], ids[0], ids[0]]);
});
