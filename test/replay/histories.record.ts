/** Records the histories that the replay test reads: `npm run histories`. */
import { useTemporal } from '../support/servers/temporal';
import { allScenarios } from './allScenarios';
import { writeHistory } from './histories';
import { record } from './record';

const temporal = useTemporal();

test.each(Object.entries(allScenarios))('record %s', async (name, scenario) => {
  const history = await record(temporal, scenario);
  expect(history.events.length).toBeGreaterThan(5);
  writeHistory(name, history);
});
