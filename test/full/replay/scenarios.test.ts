/** P6: a committed history is what its scenario does today; one that is not must be recorded anew (`npm run histories`). */
import { allScenarios } from '../../replay/allScenarios';
import { type HistoryJson, outlineOf, unreleasedHistories } from '../../replay/histories';
import { record } from '../../replay/record';
import { useTemporal } from '../../support/servers/temporal';

const committed = new Map(unreleasedHistories().map(({ scenario, json }) => [scenario, json]));
const temporal = useTemporal();

/** In some scenarios two things happen at the same moment, and either may be first. */
const TRIES = 4;

/** Where the length of its history cuts a run differs from time to time, so only how it begins and ends is compared. */
const CUT = /^(batch|batch-part|campaign)-(continued|handing-over)/;
const ENDS = /^WORKFLOW_EXECUTION_(?!SIGNALED)/;

test.each(Object.entries(allScenarios))(
  'P6: %s does what its committed history shows',
  async (name, scenario) => {
    const compared = (history: HistoryJson): string[] =>
      outlineOf(history).filter((line) => !CUT.test(name) || ENDS.test(line));
    const wanted = compared(JSON.parse(committed.get(name) ?? 'no history is committed') as HistoryJson);
    let outline: string[] = [];
    for (let n = 0; n < TRIES && outline.join() !== wanted.join(); n += 1)
      outline = compared(await record(temporal, scenario));
    expect(outline).toEqual(wanted);
  },
  240_000,
);
