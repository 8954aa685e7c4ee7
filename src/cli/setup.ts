import { setTimeout as sleep } from 'node:timers/promises';
import { type Command } from 'commander';
import { withTemporal } from './lib/connect';
import { UnreachableError } from './lib/exit';
import { print } from './lib/io';

const PATIENCE_MS = 30_000;

export function addTo(program: Command): void {
  program
    .command('setup')
    .description(
      'register the search attributes that Segue needs in the namespace; harmless when done before',
    )
    .action(async () => {
      await withTemporal(async ({ temporal: { connection }, config: { namespace } }) => {
        const { clashingError, readRegistration, register } = await import('../runs/registration.js');
        const { missing, clashing } = await readRegistration(connection, namespace);
        if (clashing.length > 0) throw clashingError(namespace, clashing);
        if (missing.length > 0) await register(connection, namespace, missing);
        // They are there only after the server's own cache has seen them.
        const giveUpAt = Date.now() + PATIENCE_MS;
        while ((await readRegistration(connection, namespace)).missing.length > 0) {
          if (Date.now() > giveUpAt)
            throw new UnreachableError('The server took the search attributes, but does not show them.');
          await sleep(200);
        }
        print(missing.length > 0 ? `registered ${missing.join(', ')} in ${namespace}` : 'nothing to do');
      });
    });
}
