/** Sends what workers log to the kept log (log.ts). Imported for its effect, before any worker is made. */
import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import { keptLogger } from './log';

// The files of one process share it; it shuts down when a file has closed its last connection.
if (Reflect.get(Runtime, '_instance') === undefined) {
  Runtime.install({
    logger: keptLogger,
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  });
}

/**
 * Workflows of workers within a test process run in its own thread, in the same isolation: a thread for each worker would
 * load the SDK each time. Workers in separate processes have this thread.
 */
process.env.TEMPORAL_DEBUG = '1';

/**
 * The SDK would rewrite every stack trace and look at every promise of the thread that runs workflows. Here that is the
 * thread of the tests, whose errors would then name wrong lines.
 */
Reflect.set(globalHandlers, 'install', () => undefined);
