import { type Command } from 'commander';
import { loadWorkerConfig } from '../../config';

export function addTo(program: Command): void {
  program
    .command('worker')
    .description('run a worker until SIGTERM or Ctrl-C; it then finishes what is on its way')
    .action(async () => {
      const config = loadWorkerConfig();
      const { runWorker } = await import('./runWorker.js');
      await runWorker(config);
    });
}
