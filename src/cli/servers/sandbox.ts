import { type Command } from 'commander';
import { originOf } from '../../sandbox/origin';
import { PACE_FORM } from '../../sandbox/pace';
import { paceFlag } from './paceFlag';
import { portFlag } from './ports';
import { print } from '../lib/io';
import { type SandboxFlags } from './runSandbox';

const DEFAULT_PORT = 4010;

export function addTo(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description('run the service on loopback, to develop and test against')
    .option('--port <port>', 'port to listen on; 0 takes a free one', portFlag, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on; anyone who reaches it can use it', '127.0.0.1')
    .option('--db <file>', 'keep what was acknowledged in this file (default: in memory)')
    .option('--seed <file>', 'what it holds at first, as JSON (default: examples/sandbox.seed.json)')
    .option('--pace <pace>', `how long a task takes: ${PACE_FORM} (default: polls=2)`, paceFlag)
    .option('--no-etags', 'give projects no ETag and take no notice of If-Match')
    .action(async (flags: SandboxFlags) => {
      const { runSandbox } = await import('./runSandbox.js');
      await runSandbox(flags);
    });

  sandbox
    .command('images')
    .description('list the addresses of the sample images')
    .action(async (_flags: unknown, command: Command) => {
      const { sampleUrls } = await import('../../sandbox/images/samples.js');
      const { port, host } = command.optsWithGlobals<SandboxFlags>();
      for (const url of sampleUrls(originOf(host, port))) print(url);
    });
}
