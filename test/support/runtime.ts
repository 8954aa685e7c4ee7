/** Keeps what workers log on the way out of the test report. Imported for its effect, before any worker is made. */
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

/**
 * Workflows of workers within a test process run in its own thread, in the same isolation: a thread for each worker would
 * load the SDK each time. Workers that are processes of their own have their thread.
 */
process.env.TEMPORAL_DEBUG = '1';

/**
 * For its stack trace query the SDK looks at every promise of the thread that runs workflows. Here that is every promise
 * of a test process, and each test file would add a look of its own that nobody ends, and that keeps the file in memory.
 */
Reflect.set(globalHandlers, 'setPromiseHook', () => undefined);
