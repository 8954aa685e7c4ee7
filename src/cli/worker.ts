import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { type Command } from 'commander';
import { loadTemporalConfig, loadWorkerConfig } from '../config';
import { createSegueWorker, type SegueWorker } from '../worker';
import { withTemporal } from './connect';
import { connectWorker } from './connectWorker';
import { pollersOf } from './pollers';
import { print, say } from './print';
import { installRuntime } from './runtime';
import { untilAskedToStop } from './signals';

export function addTo(program: Command): void {
  program
    .command('worker')
    .description('run a worker until SIGTERM or Ctrl-C; it then finishes what is on its way')
    .action(async () => {
      const config = loadWorkerConfig();
      const temporalConfig = loadTemporalConfig();
      installRuntime(config.logLevel);
      const connection = await connectWorker(temporalConfig);
      try {
        const worker = await createSegueWorker({ connection, namespace: temporalConfig.namespace, config });
        await runUntilStopped(worker, () =>
          withTemporal(({ temporal }) => untilPolling(temporal, worker), temporalConfig),
        );
      } finally {
        await connection.close();
      }
    });
}

async function runUntilStopped(worker: SegueWorker, ready: () => Promise<void>): Promise<void> {
  const stopped = untilAskedToStop(() => {
    say('stopped at once; POSTs on their way have an unknown outcome');
  });
  const running = worker.run();
  void stopped.then(() => {
    say('draining: finishing what is on its way');
    worker.shutdown();
  });
  await Promise.race([ready(), running]);
  if (worker.isRunning()) print(`ready: polling ${worker.taskQueues.join(', ')} as ${worker.identity}`);
  await running;
}

/** Waits until the server has seen this worker poll each of its queues. */
export async function untilPolling(temporal: Client, worker: SegueWorker): Promise<void> {
  for (;;) {
    const polled = await Promise.all(
      worker.taskQueues.map((queue) => pollersOf(temporal, queue, 'activity')),
    );
    if (polled.every((identities) => identities.includes(worker.identity))) return;
    await sleep(100);
  }
}
