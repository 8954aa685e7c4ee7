/** `segue dev` and `segue demo`: everything on one machine, until Ctrl-C or for one job. */
import path from 'node:path';
import { isPortFree } from '@segue/devserver';
import { type LedgerEntry, SANDBOX_KEY } from '@segue/sandbox';
import { loadLocalConfig } from '../../config';
import { MEDIA } from '../jobs/media';
import { withTemporal } from '../lib/connect';
import { follow } from '../lib/run';
import { env, EXIT, type ExitCode, io, print, say, UnreachableError } from '../lib/io';
import { type LocalStack, startLocalStack } from './localStack';
import { DEV_PORTS, untilAskedToStop } from './process';
import { readPace } from './sandbox';
import { requireFreePorts } from './temporal';
import { installRuntime } from './worker';

export interface DevFlags {
  port: number;
  uiPort: number;
  sandboxPort: number;
  state: string;
  pace?: string;
}

export async function runDev({ port, uiPort, sandboxPort, state, ...flags }: DevFlags): Promise<void> {
  const pace = readPace(flags.pace);
  const config = loadLocalConfig(env());
  installRuntime(config.logLevel);
  await requireFreePorts({
    ...(!config.temporal.existing && { '--port': port, '--ui-port': uiPort }),
    '--sandbox-port': sandboxPort,
  });
  const ports = { temporal: port, ui: uiPort, sandbox: sandboxPort };
  const stack = await startLocalStack({ config, state, ports, pace });
  const stopped = untilAskedToStop();
  print(`ready: polling ${stack.worker.taskQueues.join(', ')}`);
  print(`  Temporal  ${stack.temporal.address}`);
  if (stack.uiUrl) print(`  UI        ${stack.uiUrl}`);
  print(`  sandbox   ${stack.sandbox.url} (key ${SANDBOX_KEY})`);
  print(`  state     ${state}`);
  print('Try it from another terminal:');
  print(
    `  TEMPORAL_ADDRESS=${stack.temporal.address} SEGUE_TASK_QUEUE=${stack.config.taskQueue} ` +
      'SEGUE_POLL_MIN=1s SEGUE_POLL_MAX=2s ' +
      `./bin/segue media run remove-background --image-url ${stack.sandbox.url}/samples/shoe.png`,
  );
  const reason = await Promise.race([stack.broken, stopped.then(() => undefined)]);
  say(reason ? `${reason}; stopping` : 'stopping: finishing what is in flight');
  await stack.stop();
  if (reason) throw new UnreachableError(reason);
}

const DEMO_STATE = path.join('.segue', 'demo');

export async function runDemo(): Promise<void> {
  const config = loadLocalConfig(env());
  installRuntime('error');
  // Default ports, if free: the printed address is then right when `segue dev` opens this state.
  const free = async (port: number): Promise<number> => ((await isPortFree(port)) ? port : 0);
  const { temporal, ui, sandbox } = DEV_PORTS;
  const ports = { temporal: await free(temporal), ui: await free(ui), sandbox: await free(sandbox) };
  const stack = await startLocalStack({ config, state: DEMO_STATE, ports });
  try {
    const key = `demo-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const exitCode = await removeBackground(stack, key);
    const paidOnce = await showWhatHappened(stack, key);
    io().exitCode = paidOnce ? exitCode : EXIT.failed;
  } finally {
    await stack.stop();
  }
}

async function removeBackground({ sandbox, temporal, config }: LocalStack, key: string): Promise<ExitCode> {
  const request = { image_url: `${sandbox.url}/samples/shoe.png`, magic_crop: true };
  const spec = { key, tool: 'remove-background', request, poll: { min: '300ms', max: '500ms' } } as const;
  say(`Job: remove the background of ${request.image_url}`);
  return withTemporal(async ({ segue }) => {
    const job = await segue(config).media.start(spec);
    return follow(job, { out: DEMO_STATE, at: '/images' }, MEDIA);
  }, temporal);
}

/** Prints what the service saw; true when it accepted one POST. */
async function showWhatHappened({ sandbox, temporal, uiUrl }: LocalStack, key: string): Promise<boolean> {
  const ledger = await fetch(`${sandbox.url}/_sandbox/ledger`);
  const { entries } = (await ledger.json()) as { entries: LedgerEntry[] };
  const ofThisJob = entries.filter(({ requestId }) => requestId?.startsWith(`${key}.`));
  const accepted = ofThisJob.filter(({ kind, applied }) => kind === 'submit' && applied).length;
  print(`The service saw ${accepted} POST accepted, ${ofThisJob.length - accepted} polls.`);
  print('Where to look:');
  if (uiUrl) {
    print(`  ./bin/segue dev --state ${DEMO_STATE}   opens the same state, with the UI, until Ctrl-C; then`);
    print(`  ${uiUrl}/namespaces/${temporal.namespace}/workflows/${encodeURIComponent(`media/${key}`)}`);
  } else {
    print(`  workflow media/${key} in namespace ${temporal.namespace} of ${temporal.address}`);
  }
  return accepted === 1;
}
