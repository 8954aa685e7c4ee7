/** Records the histories that the replay test reads: `npm run histories`. */
import { recordAll } from './record';
import { writeHistory } from './histories';

recordAll('record %s', (scenario, json) => {
  writeHistory(scenario, JSON.parse(json));
});
