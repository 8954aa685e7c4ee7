/** Sets up what a process that runs a worker needs once: its logs, and no signal handlers of the SDK's own. */
import { type LogMetadata, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import pino from 'pino';
import { type LogLevel } from '../../config';

export function installRuntime(level: LogLevel): void {
  const logger = pino({ level }, pino.destination({ fd: 2, sync: true }));
  const to =
    (name: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta: LogMetadata = {}): void => {
      logger[name](meta, message);
    };
  const log = {
    trace: to('trace'),
    debug: to('debug'),
    info: to('info'),
    warn: to('warn'),
    error: to('error'),
  };
  Runtime.install({
    logger: {
      ...log,
      log: (sdkLevel, message, meta) => {
        log[sdkLevel.toLowerCase() as keyof typeof log](message, meta);
      },
    },
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
    // The command decides in which order things stop.
    shutdownSignals: [],
  });
}
