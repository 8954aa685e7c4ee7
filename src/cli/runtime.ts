/** Sets up what a process that runs a worker needs once: logs, and signals that we handle ourselves. */
import { type LogMetadata, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import pino from 'pino';
import { type LogLevel } from '../config';

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

/** Resolves at the first Ctrl-C or SIGTERM; a second one ends the process at once. */
export function untilAskedToStop(onImpatience: () => void): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (): void => {
      if (asked) {
        onImpatience();
        process.exit(130);
      }
      asked = true;
      resolve();
    };
    process.on('SIGINT', ask).on('SIGTERM', ask);
  });
}
