import { type Command } from 'commander';
import { loadStarterConfig } from '../../config';
import { withAdvice } from '../lib/advice';
import { withTemporal } from '../lib/connect';
import { requireKey } from './flags';
import { sayWhatIsUnusual, tellStarted } from '../lib/start';
import { env, io } from '../lib/io';

export function addTo(program: Command): void {
  program
    .command('retry <id>')
    .description('run a job that failed again, as KEY+2; refused while the service may still work on it')
    .option('--again', 'run also a job that succeeded, and pay for it again')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nID is a key or a workflow id. Asked twice, it is one run.')
    .action(async (id: string, flags: { again?: boolean; json?: boolean }) => {
      const key = requireKey(id);
      const config = loadStarterConfig(env());
      io().exitCode = await withTemporal(async (connected) => {
        const { media } = connected.segue(config);
        const job = await media.again(key, { onlyFailed: !flags.again }).catch((error: unknown) => {
          throw withAdvice(error);
        });
        await sayWhatIsUnusual(job, connected);
        return tellStarted(job, connected, flags);
      });
    });
}
