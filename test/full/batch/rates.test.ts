/** What two workers send together, counted in requests by the service itself. */
import { batchOf, cutouts } from '../../support/builders/batch';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { addFault, answering, ask, type LedgerReading, readLedger } from '../../support/service/sandbox';
import { USUAL_QUEUE_PARTS } from '../../support/servers/serverSettings';
import { segueClient, startOwnDevServer, testConfig, useTemporal } from '../../support/servers/temporal';

// A rate is shared out among a queue's partitions, and other servers of tests have one of each.
const temporal = useTemporal(() => startOwnDevServer({ dynamicConfig: USUAL_QUEUE_PARTS }));
const processes = useProcesses(() => temporal.address);

type Entry = LedgerReading['entries'][number];

async function submitsOf(sandboxUrl: string): Promise<Entry[]> {
  return (await readLedger(sandboxUrl)).entries.filter(({ kind }) => kind === 'submit');
}

/** The most that came within any time of this length. */
function mostWithin(ms: number, entries: Entry[]): number {
  const times = entries.map(({ at }) => Date.parse(at)).sort((one, other) => one - other);
  let [first, most] = [0, 0];
  for (const [last, time] of times.entries()) {
    while (time - (times[first] ?? time) >= ms) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

const RATE = 50;
/** POSTs of batches that one worker has on the wire: half of its places. */
const ON_WIRE = 25;
const WORKERS = 2;
/** Of a queue at the server, each of which has the rate's share and may have one chunk saved up. */
const QUEUE_PARTS = 4;
const ITEMS = 250;

test('SEGUE_MAX_SUBMIT_RPS and the places on the wire hold for two workers together; a 429 slows everyone down', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=1');
  const config = testConfig();
  const settings = { SEGUE_MAX_SUBMIT_RPS: String(RATE), SEGUE_MAX_SUBMITS: String(2 * ON_WIRE) };
  const start = () => processes.worker(config.taskQueue, sandboxUrl, settings);
  await Promise.all(Array.from({ length: WORKERS }, start));
  const { batch } = segueClient(temporal, config);

  const answerMs = 100;
  await addFault(sandboxUrl, {
    ...{ operation: 'remove-background', match: { every: 1 } },
    ...{ fault: 'delay', ms: answerMs, when: 'after' },
  });
  expect(await batch.run(batchOf(cutouts(sandboxUrl, ITEMS), 50))).toMatchObject({ status: 'succeeded' });
  const sent = await submitsOf(sandboxUrl);
  expect(sent).toHaveLength(ITEMS);
  // None of them was answered before this time was over, so all of them were on the wire together.
  const onWire = mostWithin(answerMs - 10, sent);
  expect(onWire).toBeLessThanOrEqual(WORKERS * ON_WIRE);
  // Half of the rate is for batches; a chunk is as much as that in a second.
  const seconds = 3;
  expect(mostWithin(seconds * 1_000, sent)).toBeLessThanOrEqual((seconds + QUEUE_PARTS) * (RATE / 2));
  process.stderr.write(`rates: ${mostWithin(1_000, sent)} POSTs in a second, ${onWire} on the wire\n`);

  await ask(sandboxUrl, 'POST /_sandbox/reset');
  const waitMs = 3_000;
  await addFault(sandboxUrl, { ...answering(429, 'remove-background'), ms: waitMs });
  const slowed = await batch.start(batchOf(cutouts(sandboxUrl, 100), 25));
  const refused = await eventually('one that is sent after the time that was asked for', async () => {
    const entries = await submitsOf(sandboxUrl);
    return timeSinceFirst(entries.at(-1), entries) >= waitMs && entries;
  });
  // Four partitions have a chunk each to send; what each worker had on the wire when it was told is all that came.
  const early = refused.filter((entry) => timeSinceFirst(entry, refused) < waitMs);
  expect(early.length).toBeLessThanOrEqual(WORKERS * ON_WIRE);
  process.stderr.write(`rates: ${early.length} POSTs before a 429 was heard by all, of 100\n`);
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
  expect(await slowed.result()).toMatchObject({ status: 'completed', counts: { succeeded: 100 } });
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 100, duplicates: 0 });
}, 120_000);

function timeSinceFirst(entry: Entry | undefined, [first]: Entry[]): number {
  return entry && first ? Date.parse(entry.at) - Date.parse(first.at) : 0;
}
