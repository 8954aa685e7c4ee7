import { type Command, InvalidArgumentError } from 'commander';
import { sampleUrls } from '../sandbox/images/samples';
import { originOf } from '../sandbox/origin';
import { PACE_FORM, type Pace, parsePace } from '../sandbox/pace';
import { loadSeed } from '../sandbox/seed';
import { startSandbox } from '../sandbox/server';
import { portFlag, requireFreePorts } from './ports';
import { print, say } from './print';
import { untilAskedToStop } from './signals';

const DEFAULT_PORT = 4010;

interface Flags {
  port: number;
  host: string;
  db?: string;
  seed?: string;
  pace?: Pace;
  etags: boolean;
}

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
    .action(async ({ seed: file, ...flags }: Flags) => {
      const seed = file === undefined ? undefined : await loadSeed(file);
      await requireFreePorts([{ flag: '--port', port: flags.port }]);
      const stopped = untilAskedToStop(() => undefined);
      const running = await startSandbox({ ...flags, seed, onRequest: say });
      print(`ready ${running.url}`);
      say(`page: ${running.url}/  OpenAPI: ${running.url}/openapi.json`);
      say(`samples: ${sampleUrls(running.url).join(' ')}`);
      if (seed && !running.seeded) {
        say(
          `${flags.db ?? ''} holds a state already, so the seed was not used; delete the file to start anew`,
        );
      }
      await stopped;
      await running.stop();
    });

  sandbox
    .command('images')
    .description('list the addresses of the sample images')
    .action((_flags: unknown, command: Command) => {
      const { port, host } = command.optsWithGlobals<Flags>();
      for (const url of sampleUrls(originOf(host, port))) print(url);
    });
}

export function paceFlag(text: string): Pace {
  const pace = parsePace(text);
  if (!pace) throw new InvalidArgumentError(`It is ${PACE_FORM}.`);
  return pace;
}
