/** Sets up what a process that runs a worker needs once: its logs, and no signal handlers of the SDK's own. */
import { type LogMetadata, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import pino from 'pino';
import { type LogLevel } from '../../config';

export function installRuntime(level: LogLevel): void {
  const logger = pino({ level }, pino.destination({ fd: 2, sync: true }));
  const to =
    (write: (meta: LogMetadata, message: string) => void) => (message: string, meta?: LogMetadata) => {
      write(meta ?? {}, message);
    };
  const log = {
    trace: to((meta, message) => {
      logger.trace(meta, message);
    }),
    debug: to((meta, message) => {
      logger.debug(meta, message);
    }),
    info: to((meta, message) => {
      logger.info(meta, message);
    }),
    warn: to((meta, message) => {
      logger.warn(meta, message);
    }),
    error: to((meta, message) => {
      logger.error(meta, message);
    }),
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
