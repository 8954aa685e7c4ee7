/** The commands that run until they are stopped: worker, dev, demo, sandbox, temporal. */
import { once } from 'node:events';
import { type Command } from 'commander';
import { loadLocalTemporalConfig, loadWorkerConfig } from '../../config';
import { wholeNumber } from '../lib/flags';
import { env, print, UnreachableError } from '../lib/io';
import { type DevFlags } from './dev';
import { DEV_PORTS, untilAskedToStop } from './process';
import { type SandboxFlags } from './sandbox';

export function addTo(program: Command): void {
  addWorker(program);
  addDev(program);
  addSandbox(program);
  addTemporal(program);
}

/** Names the missing package where only the packages of a worker are installed. */
export async function forDevelopment<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const [, name] = /^Cannot find (?:module|package) '([@\w][^']*)'/.exec((error as Error).message) ?? [];
    if (name === undefined) throw error;
    throw new UnreachableError(
      `${what} needs the package ${name}, which this installation does not have. Add the packed files of @segue/sandbox and @segue/devserver (docs/client.md, Install); in a checkout: npm ci`,
    );
  }
}

const portFlag = wholeNumber(0, 65_535);

function addWorker(program: Command): void {
  program
    .command('worker')
    .description('run a worker until SIGTERM or Ctrl-C; it then finishes what is in flight')
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
      const { runWorker } = await import('./worker.js');
      await runWorker(config);
    });
}

function addDev(program: Command): void {
  program
    .command('dev')
    .description('run Temporal with its UI, the sandbox and a worker until Ctrl-C; a restart continues')
    .option('--port <port>', 'port of the Temporal server', portFlag, DEV_PORTS.temporal)
    .option('--ui-port <port>', 'port of its UI', portFlag, DEV_PORTS.ui)
    .option('--sandbox-port <port>', 'port of the sandbox', portFlag, DEV_PORTS.sandbox)
    .option('--state <folder>', 'where state is kept', '.segue')
    .option('--pace <pace>', 'how long a task takes in the sandbox, as in `segue sandbox`')
    .action(async (flags: DevFlags) => {
      const { runDev } = await forDevelopment('segue dev', () => import('./dev.js'));
      await runDev(flags);
    });
  program
    .command('demo')
    .description('run a small campaign with its own server, sandbox and worker, write a report, and end')
    .action(async () => {
      const { runDemo } = await forDevelopment('segue demo', () => import('./dev.js'));
      await runDemo();
    });
}

function addSandbox(program: Command): void {
  const load = () => forDevelopment('segue sandbox', () => import('./sandbox.js'));
  const sandbox = program
    .command('sandbox')
    .description('run the service on loopback, to develop and test against')
    .option('--port <port>', 'port to listen on; 0 takes a free one', portFlag, DEV_PORTS.sandbox)
    .option('--host <address>', 'address to listen on; anyone who reaches it can use it', '127.0.0.1')
    .option('--db <file>', 'keep what was acknowledged in this file (default: in memory)')
    .option('--seed <file>', 'what it holds at first, as JSON (default: sandbox/seed.json)')
    .option(
      '--pace <pace>',
      'how long a task takes: "instant", "polls=N" (done at the Nth poll) or a duration like 5s (default: polls=2)',
    )
    .option(
      '--workspace <id>',
      'the id that workspace 1 has; sandboxes on one Temporal cluster need different ones (default: 1)',
      wholeNumber(1, 999_999_999),
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

interface TemporalFlags {
  port: number;
  uiPort: number;
  db?: string;
}

function addTemporal(program: Command): void {
  const load = () => forDevelopment('segue temporal', () => import('./temporal.js'));
  const temporal = program
    .command('temporal')
    .description('the Temporal server that development and tests use');
  temporal
    .command('path')
    .description('print the path of its binary, getting it first')
    .action(async () => {
      const { obtainTemporal } = await load();
      print(await obtainTemporal(loadLocalTemporalConfig(env())));
    });
  temporal
    .command('start')
    .description('run it until Ctrl-C')
    .option('--port <port>', 'port of the server', portFlag, DEV_PORTS.temporal)
    .option('--ui-port <port>', 'port of its UI', portFlag, DEV_PORTS.ui)
    .option('--db <file>', 'keep its state in this file (default: in memory)')
    .action(async ({ port, uiPort, db }: TemporalFlags) => {
      const { requireFreePorts, startTemporal } = await load();
      await requireFreePorts({ '--port': port, '--ui-port': uiPort });
      const server = await startTemporal(loadLocalTemporalConfig(env()), { port, uiPort, db });
      print(`ready ${server.address}${server.uiUrl ? ` UI ${server.uiUrl}` : ''}`);
      await Promise.race([untilAskedToStop(), once(server.process, 'exit')]);
      await server.stop();
    });
}
