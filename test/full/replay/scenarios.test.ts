/** P6: a committed history is what its scenario does today; one that is not must be recorded anew (`npm run histories`). */
import { kindsOfEvents, unreleasedHistories } from '../../replay/histories';
import { recordAll } from '../../replay/record';

const committed = new Map(unreleasedHistories().map(({ scenario, json }) => [scenario, json]));

recordAll('P6: %s still has the kinds of events that its committed history has', (scenario, json) => {
  expect(kindsOfEvents(json)).toEqual(kindsOfEvents(committed.get(scenario) ?? '{"events":[]}'));
});
