/** What a campaign saves while a save is on its way. */
import { type Campaign } from '../../src/workflows/campaign/run';
import { save } from '../../src/workflows/campaign/saving';
import { writeToProject } from '../../src/workflows/write';

jest.mock('../../src/workflows/write');
jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  CancellationScope: { nonCancellable: (work: () => Promise<unknown>) => work() },
  uuid4: () => 'some-uuid',
  workflowInfo: () => ({ workflowId: 'campaign/c' }),
}));

const written = jest.mocked(writeToProject);

function newRun(): Campaign {
  const input = { key: 'c', project: { resourcetype: 'campaign', id: '7' } };
  const progress = { research: null, decisions: [] };
  const run = { input, progress, at: '/campaign', unsaved: new Set(), saving: false, saveError: null };
  return run as unknown as Campaign;
}

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}

test.each(Array.from({ length: 12 }, (_, tick) => tick))(
  'what changes %i ticks after an answer is written, too',
  async (tick) => {
    written.mockReset();
    let answer: (outcome: { ok: true }) => void = () => undefined;
    written.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    written.mockResolvedValue({ ok: true });
    const run = newRun();
    save(run, 'research');
    answer({ ok: true });
    await ticks(tick);
    save(run, 'approvals');
    await ticks(50);
    expect(written.mock.calls.map(([, , change]) => change.steps?.map(({ at }) => at))).toEqual([
      ['/campaign/research'],
      ['/campaign/approvals'],
    ]);
    expect(run).toMatchObject({ saving: false, saveError: null });
  },
);

test('a save that cannot even be asked for is told, and the next one goes out', async () => {
  written.mockReset();
  written.mockRejectedValueOnce(new Error('no'));
  written.mockResolvedValue({ ok: true });
  const run = newRun();
  save(run, 'research');
  await ticks(50);
  expect(run.saveError).toBe('Error: no');
  save(run, 'approvals');
  await ticks(50);
  expect(run).toMatchObject({ saving: false, saveError: null });
});
