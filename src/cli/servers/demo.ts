import { type Command } from 'commander';
import { forDevelopment } from './development';

export function addTo(program: Command): void {
  program
    .command('demo')
    .description('run one job on a server, sandbox and worker of its own, show what happened, and end')
    .action(async () => {
      const { runDemo } = await forDevelopment('demo', () => import('./runDemo.js'));
      await runDemo();
    });
}
