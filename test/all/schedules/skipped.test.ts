/** The metric of skipped firings: the server's own count, read with every firing. */
import { createReadFiredEnd } from '../../../src/activities/firing';
import { scheduleId } from '../../../src/contract/ids';
import { recordingMeter } from '../../support/servers/meter';
import { useSchedules } from '../../support/builders/schedules';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';
import { activityEnvironment } from '../../support/servers/log';

const temporal = useTemporal();
// No worker: its first firing stays open, and every other is skipped.
const config = testConfig();
const { newName, until } = useSchedules(() => segueClient(temporal, config));

test('what the server skipped is shown by schedule and reason; a schedule that is gone shows nothing', async () => {
  const name = newName();
  const { schedules } = segueClient(temporal, config);
  await schedules.create(name, {
    spec: { every: '1s' },
    target: { kind: 'outlook', spec: { project: { resourcetype: 'campaign', id: '7' }, boards: ['b'] } },
  });
  await until(name, 'a skipped firing', ({ skipped }) => skipped.overlap > 0);
  // From now on it is the same number for everybody.
  await schedules.pause(name, 'counted');
  const { skipped } = await until(name, 'the pause', ({ paused }) => paused);
  const look = async (): Promise<string[]> => {
    const meter = recordingMeter();
    const environment = activityEnvironment({}, { client: temporal.client });
    const order = { schedule: name, workflowId: 'outlook/nobody', isEnding: false };
    const end = await environment.run(createReadFiredEnd(meter), order);
    expect(end).toEqual({ status: 'failed', error: 'the Temporal server no longer knows its run' });
    return meter.recorded;
  };
  const shown = (why: string, count: number): string =>
    `segue_schedule_skipped_firings{schedule="${name}",why="${why}"} ${count}`;
  expect(await look()).toEqual([shown('overlap', skipped.overlap), shown('catchup', 0), shown('buffer', 0)]);
  const [firing] = (await schedules.show(name)).firings;
  await schedules.delete(name);
  expect(await look()).toEqual([]);
  await temporal.client.workflow.getHandle(firing?.firing ?? '').terminate();
  await expect(temporal.client.schedule.getHandle(scheduleId(name)).describe()).rejects.toThrow();
});
