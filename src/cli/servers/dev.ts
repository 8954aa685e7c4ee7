import { type Command } from 'commander';
import { forDevelopment } from './development';
import { DEV_PORTS, portFlag } from './ports';
import { type DevFlags } from './runDev';

export function addTo(program: Command): void {
  program
    .command('dev')
    .description(
      'run Temporal with its UI, the sandbox and a worker until Ctrl-C; a restart goes on where it was',
    )
    .option('--port <port>', 'port of the Temporal server', portFlag, DEV_PORTS.temporal)
    .option('--ui-port <port>', 'port of its UI', portFlag, DEV_PORTS.ui)
    .option('--sandbox-port <port>', 'port of the sandbox', portFlag, DEV_PORTS.sandbox)
    .option('--state <folder>', 'where state is kept', '.segue')
    .option('--pace <pace>', 'how long a task takes in the sandbox, as in `segue sandbox`')
    .action(async (flags: DevFlags) => {
      const { runDev } = await forDevelopment('dev', () => import('./runDev.js'));
      await runDev(flags);
    });
}
