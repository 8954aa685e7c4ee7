import { SANDBOX_KEY } from '@segue/sandbox';
import { loadLocalConfig } from '../../config';
import { UnreachableError } from '../lib/exit';
import { env, print, say } from '../lib/io';
import { startLocalStack } from './localStack';
import { requireFreePorts, untilAskedToStop } from './process';
import { readPace } from './sandbox';
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
  say(reason ? `${reason}; stopping` : 'stopping: finishing what is on its way');
  await stack.stop();
  if (reason) throw new UnreachableError(reason);
}
