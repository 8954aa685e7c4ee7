import { type Command } from 'commander';
import { loadWorkerConfig } from '../../config';
import { env } from '../lib/io';

export function addTo(program: Command): void {
  program
    .command('worker')
    .description('run a worker until SIGTERM or Ctrl-C; it then finishes what is on its way')
    .option('--roles <list>', 'what it does: workflows, submit, batch (default: all three)')
    .addHelpText(
      'after',
      '\nOnly the roles submit and batch send POSTs of jobs. More workers with the role workflows do not send more.',
    )
    .action(async ({ roles }: { roles?: string }) => {
      const config = loadWorkerConfig({
        ...env(),
        ...(roles !== undefined && { SEGUE_WORKER_ROLES: roles }),
      });
      const { runWorker } = await import('./runWorker.js');
      await runWorker(config);
    });
}
