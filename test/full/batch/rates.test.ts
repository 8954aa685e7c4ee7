/** What two workers send together, counted in requests by the service itself. */
import { USUAL_CHUNK } from '../../../src/contract';
import { batchOf, cutouts } from '../../support/builders/batch';
import { eventually } from '../../support/eventually';
import {
  addFault,
  answering,
  ask,
  type LedgerReading,
  readLedger,
  useSandbox,
} from '../../support/service/sandbox';
import { connectTo, segueClient, testConfig, useTemporal, useWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandbox({ pace: { kind: 'polls', polls: 1 } });

const RATE = 50;
/** POSTs of batches that one worker has on the wire: half of its slots. */
const ON_WIRE = 25;
const config = testConfig();
const limits = { maxSubmits: 2 * ON_WIRE, maxSubmitRate: RATE };
const WORKERS = 2;
useWorker(temporal, config, sandbox, { limits });
// A connection takes one worker of a queue.
useWorker(
  useTemporal(() => connectTo(temporal.address)),
  config,
  sandbox,
  { limits },
);

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

/** Half of the rate is for batches. */
const PER_SECOND = RATE / 2;
const ITEMS = 300;
/** The server may have one chunk saved up beside the one that is due. */
const AT_ONCE = 2 * USUAL_CHUNK;

test('the rate of POSTs and the slots on the wire hold for two workers together; a 429 slows everyone down', async () => {
  const { url: sandboxUrl } = sandbox;
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
  // At twice the rate it takes half of that; a first POST that is late makes it look a little shorter.
  const least = (ITEMS - AT_ONCE) / PER_SECOND;
  const took = timeSinceFirst(sent.at(-1), sent) / 1_000;
  process.stderr.write(`rates: ${ITEMS} POSTs in ${took} s, ${onWire} on the wire\n`);
  expect(took).toBeGreaterThan(0.75 * least);

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
});

function timeSinceFirst(entry: Entry | undefined, [first]: Entry[]): number {
  return entry && first ? Date.parse(entry.at) - Date.parse(first.at) : 0;
}
