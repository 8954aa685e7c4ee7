/** Keeps what workers log on the way out of the test report. Imported for its effect, before any worker is made. */
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

/**
 * Workflows of workers within a test process run in its own thread, in the same isolation: a thread for each worker would
 * load the SDK each time. Workers that are processes of their own have their thread.
 */
process.env.TEMPORAL_DEBUG = '1';
