import { type Command, InvalidArgumentError } from 'commander';
import { PACE_FORM, type Pace, parsePace } from '../sandbox/pace';
import { sampleNames } from '../sandbox/samples';
import { startSandbox } from '../sandbox/server';
import { portFlag, requireFreePorts } from './ports';
import { print, say } from './print';
import { untilAskedToStop } from './signals';

export function addTo(program: Command): void {
  program
    .command('sandbox')
    .description('run the service on loopback, to develop and test against')
    .option('--port <port>', 'port to listen on; 0 takes a free one', portFlag, 4010)
    .option('--host <address>', 'address to listen on; anyone who reaches it can use it', '127.0.0.1')
    .option('--db <file>', 'keep what was acknowledged in this file (default: in memory)')
    .option('--pace <pace>', `how long a task takes: ${PACE_FORM} (default: polls=2)`, paceFlag)
    .action(async (flags: { port: number; host: string; db?: string; pace?: Pace }) => {
      await requireFreePorts([{ flag: '--port', port: flags.port }]);
      const stopped = untilAskedToStop(() => undefined);
      const sandbox = await startSandbox({ ...flags, onRequest: say });
      print(`ready ${sandbox.url}`);
      say(`samples: ${sampleNames.map((name) => `${sandbox.url}/samples/${name}`).join(' ')}`);
      await stopped;
      await sandbox.stop();
    });
}

export function paceFlag(text: string): Pace {
  const pace = parsePace(text);
  if (!pace) throw new InvalidArgumentError(`It is ${PACE_FORM}.`);
  return pace;
}
