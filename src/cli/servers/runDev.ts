import { SANDBOX_KEY } from '@segue/sandbox';
import { loadLocalConfig } from '../../config';
import { UnreachableError } from '../lib/exit';
import { startLocalStack } from './localStack';
import { readPace } from './pace';
import { requireFreePorts } from './ports';
import { env, print, say } from '../lib/io';
import { installRuntime } from './runtime';
import { orAbandon, untilAskedToStop } from './signals';

export interface DevFlags {
  port: number;
  uiPort: number;
  sandboxPort: number;
  state: string;
  pace?: string;
}

export async function runDev(flags: DevFlags): Promise<void> {
  const pace = readPace(flags.pace);
  const config = loadLocalConfig(env());
  installRuntime(config.logLevel);
  const serverPorts = [
    { flag: '--port', port: flags.port },
    { flag: '--ui-port', port: flags.uiPort },
  ];
  await requireFreePorts([
    ...(config.temporal.existing ? [] : serverPorts),
    { flag: '--sandbox-port', port: flags.sandboxPort },
  ]);
  const stopped = untilAskedToStop(() => undefined);
  const stack = await orAbandon(
    stopped,
    startLocalStack({
      config,
      state: flags.state,
      ports: { temporal: flags.port, ui: flags.uiPort, sandbox: flags.sandboxPort },
      pace,
      say,
    }),
  );
  print(`ready: polling ${stack.worker.taskQueues.join(', ')}`);
  print(`  Temporal  ${stack.temporal.address}`);
  if (stack.uiUrl) print(`  UI        ${stack.uiUrl}`);
  print(`  sandbox   ${stack.sandbox.url} (key ${SANDBOX_KEY})`);
  print(`  state     ${flags.state}`);
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
