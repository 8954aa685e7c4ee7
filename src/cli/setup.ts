import { setTimeout as sleep } from 'node:timers/promises';
import { type Command } from 'commander';
import { withTemporal } from './connect';
import { UnreachableError } from './exit';
import { print } from './print';
import { missingSearchAttributes, registerSearchAttributes } from './searchAttributes';

const PATIENCE_MS = 30_000;

export function addTo(program: Command): void {
  program
    .command('setup')
    .description(
      'register the search attributes that Segue needs in the namespace; harmless when done before',
    )
    .action(async () => {
      await withTemporal(async ({ temporal, config }) => {
        const { missing, clashing } = await missingSearchAttributes(temporal);
        if (clashing.length > 0) {
          throw new UnreachableError(
            `The namespace ${config.namespace} has ${clashing.join(', ')} with another type; Segue needs a namespace without.`,
          );
        }
        if (missing.length > 0) await registerSearchAttributes(temporal, missing);
        // They are there only after the server's own cache has seen them.
        const giveUpAt = Date.now() + PATIENCE_MS;
        while ((await missingSearchAttributes(temporal)).missing.length > 0) {
          if (Date.now() > giveUpAt)
            throw new UnreachableError('The server took the search attributes, but does not show them.');
          await sleep(200);
        }
        print(
          missing.length > 0 ? `registered ${missing.join(', ')} in ${config.namespace}` : 'nothing to do',
        );
      });
    });
}
