/** How often the service is asked for the id of a workspace. */
import { organizationResolver } from '../../../src/api/client';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a workspace that cannot be read is asked for once a second at most, and once it is known no more', async () => {
  let [asked, isDown] = [0, true];
  const getWorkspace = (): Promise<{ workspace: { id: number } }> => {
    asked += 1;
    return isDown ? Promise.reject(new Error('503')) : Promise.resolve({ workspace: { id: 7 } });
  };
  const organizationOf = organizationResolver({ getWorkspace });
  const askOften = (): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: 100 }, () =>
        organizationOf(undefined, { requestId: 'r', timeoutMs: 1_000 }).catch(() => null),
      ),
    );
  await askOften();
  expect(await organizationOf(undefined, { requestId: 'r', timeoutMs: 1_000 }).catch(String)).toBe(
    'Error: 503',
  );
  expect(asked).toBe(1);
  isDown = false;
  await jest.advanceTimersByTimeAsync(1_000);
  expect(new Set(await askOften())).toEqual(new Set(['7']));
  await jest.advanceTimersByTimeAsync(10_000);
  await askOften();
  expect(asked).toBe(2);
});
