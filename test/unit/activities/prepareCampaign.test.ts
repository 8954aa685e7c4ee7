/** What a campaign finds out before it pays for anything, over real sockets. */
import { type Preparation, type PrepareOrder } from '../../../src/contract';
import { type Circumstances, useActivities } from '../../support/builders/activities';
import { SECRET, testApi } from '../../support/service/api';
import { startSmallService } from '../../support/service/smallService';

const { run } = useActivities();

const VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e01';
const FOREIGN_VOICE = '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e03';

function prepare(order: Partial<PrepareOrder>, how: Circumstances = {}): Promise<Preparation> {
  return run(({ prepareCampaign }) => prepareCampaign, { media: {}, voices: [], boards: [], ...order }, how);
}

describe('preparing', () => {
  test('finds what is there, and the clock of the workspace', async () => {
    expect(await prepare({ scope: { space: '11' }, voices: [VOICE], boards: ['launch-board'] })).toEqual({
      problems: [],
      clock: { timezone: 'Europe/Berlin', startOfWeek: 1, remarks: [] },
    });
  });

  test('tells all problems at once', async () => {
    const { problems, clock } = await prepare({
      scope: { organization: '3' },
      voices: [FOREIGN_VOICE, 'no-uuid'],
      boards: ['launch-board', 'no-board', 'no-board'],
    });
    expect(problems).toEqual([
      'workspace Closed: is not active',
      expect.stringContaining(`voice ${FOREIGN_VOICE}: is not there`),
      expect.stringContaining('voice no-uuid: cannot be asked for'),
      expect.stringContaining('board launch-board: is not there'),
      expect.stringContaining('board no-board: is not there'),
    ]);
    expect(clock).toMatchObject({
      timezone: 'UTC',
      startOfWeek: 1,
      remarks: [expect.stringContaining('has no timezone'), expect.stringContaining('Monday')],
    });
  });

  test('a workspace that the service does not know is a problem', async () => {
    const { problems } = await prepare({ scope: { organization: '99' }, voices: [VOICE] });
    expect(problems).toEqual([expect.stringMatching(/^workspace: .*404/)]);
  });

  test.each<[unknown, string, number, number]>([
    [{ timezone: 'Asia/Kolkata', start_of_week: 'su' }, 'Asia/Kolkata', 7, 0],
    [{ timezone: 'UTC', start_of_week: 'Saturday' }, 'UTC', 6, 0],
    [{ timezone: 'UTC', start_of_week: ' TUE ' }, 'UTC', 2, 0],
    [{ timezone: 'UTC', start_of_week: '0' }, 'UTC', 1, 1],
    [{ timezone: 'UTC', start_of_week: 's' }, 'UTC', 1, 1],
    [{ timezone: 'Mars/Olympus', start_of_week: 'mon' }, 'UTC', 1, 1],
    [{}, 'UTC', 1, 2],
    [null, 'UTC', 1, 2],
  ])('settings %j: %s, day %d, %d remarks', async (settings, timezone, startOfWeek, remarks) => {
    const body = { workspace: { settings } };
    const service = await startSmallService({ 'GET /api/v1/workspaces/current': { body } });
    const small = testApi(service.url);
    const { clock } = await prepare({}, { api: small });
    expect(clock).toEqual({ timezone, startOfWeek, remarks: expect.any(Array) });
    expect(clock.remarks).toHaveLength(remarks);
    await small.close();
    await service.stop();
  });

  test.each([
    [503, false, 'now'],
    [401, false, 'now'],
    [403, false, 'now'],
    [401, true, 'for longer than keys take to be rotated'],
    [422, true, 'now'],
  ])('%d of a voice is thrown; final: %s, since %s', async (status, nonRetryable, since) => {
    const service = await startSmallService({
      'GET /api/v1/workspaces/current': { body: {} },
      [`GET /api/v1/voices/${VOICE}`]: { status, body: {} },
    });
    const small = testApi(service.url);
    const scheduledTimestampMs = since === 'now' ? Date.now() : Date.now() - 2 * 3_600_000;
    const prepared = prepare({ voices: [VOICE] }, { api: small, scheduledTimestampMs });
    await expect(prepared).rejects.toMatchObject({
      type: 'StatusError',
      nonRetryable,
      details: [{ status }],
    });
    await small.close();
    await service.stop();
  });

  test('P7: a credential that the service repeats is kept nowhere', async () => {
    const service = await startSmallService({
      'GET /api/v1/workspaces/current': { body: { workspace: { settings: { timezone: SECRET } } } },
    });
    const small = testApi(service.url);
    const told = await prepare({}, { api: small });
    expect(JSON.stringify(told)).toContain('[credential]');
    expect(JSON.stringify(told)).not.toContain(SECRET);
    await small.close();
    await service.stop();
  });
});
