import { type Command } from 'commander';
import { loadWorkerConfig } from '../../config';
import { env } from '../io';

export function addTo(program: Command): void {
  program
    .command('worker')
    .description('run a worker until SIGTERM or Ctrl-C; it then finishes what is on its way')
    .action(async () => {
      const config = loadWorkerConfig(env());
      const { runWorker } = await import('./runWorker.js');
      await runWorker(config);
    });
}
