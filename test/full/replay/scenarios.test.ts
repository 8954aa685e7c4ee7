/** P6: a committed history is what its scenario does today; one that is not must be recorded anew (`npm run histories`). */
import { allScenarios } from '../../replay/allScenarios';
import { type HistoryJson, outlineOf, unreleasedHistories } from '../../replay/histories';
import { record } from '../../replay/record';
import { useTemporal } from '../../support/servers/temporal';

const committed = new Map(unreleasedHistories().map(({ scenario, json }) => [scenario, json]));
const temporal = useTemporal();

/** In some scenarios two things happen at the same moment, and either may be first. */
const TRIES = 8;

/**
 * Runs of workflows that continue as new in the middle of their work. How much work each has differs from
 * time to time, so only their first and last events are compared.
 */
const CUT_RUNS = ['campaign-continued-as-new', 'batch-part-continued', 'batch-part-handing-over'];
const FIRST_OR_LAST = /^WORKFLOW_EXECUTION_(?!SIGNALED)/;

test.each(Object.entries(allScenarios))(
  'P6: %s does what its committed history shows',
  async (name, scenario) => {
    const comparedLines = (history: HistoryJson): string[] =>
      outlineOf(history).filter((line) => !CUT_RUNS.includes(name) || FIRST_OR_LAST.test(line));
    const wanted = comparedLines(JSON.parse(committed.get(name) ?? 'no history is committed') as HistoryJson);
    let outline: string[] = [];
    for (let n = 0; n < TRIES && outline.join() !== wanted.join(); n += 1)
      outline = comparedLines(await record(temporal, scenario));
    expect(outline).toEqual(wanted);
  },
  240_000,
);
