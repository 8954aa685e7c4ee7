import { type Command } from 'commander';
import { forDevelopment } from './development';
import { portFlag } from './ports';
import { type SandboxFlags } from './runSandbox';

const DEFAULT_PORT = 4010;
const load = () => forDevelopment('sandbox', () => import('./runSandbox.js'));

export function addTo(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description('run the service on loopback, to develop and test against')
    .option('--port <port>', 'port to listen on; 0 takes a free one', portFlag, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on; anyone who reaches it can use it', '127.0.0.1')
    .option('--db <file>', 'keep what was acknowledged in this file (default: in memory)')
    .option('--seed <file>', 'what it holds at first, as JSON (default: sandbox/seed.json)')
    .option(
      '--pace <pace>',
      'how long a task takes: "instant", "polls=N" (done at the Nth poll) or a duration like 5s (default: polls=2)',
    )
    .option('--no-etags', 'give projects no ETag and take no notice of If-Match')
    .action(async (flags: SandboxFlags) => {
      const { runSandbox } = await load();
      await runSandbox(flags);
    });

  sandbox
    .command('images')
    .description('list the addresses of the sample images')
    .action(async (_flags: unknown, command: Command) => {
      const { printSampleUrls } = await load();
      printSampleUrls(command.optsWithGlobals<SandboxFlags>());
    });
}
