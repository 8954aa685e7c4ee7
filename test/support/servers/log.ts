/** What workers and activities log: shown with the test that fails, and only then, since tests provoke most of it. */
import { MockActivityEnvironment, type MockActivityEnvironmentOptions } from '@temporalio/testing';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';

declare global {
  /** Made by ../jest/keptLog.js, which shows and empties it. */
  var keptLog: LogEntry[];
}

export const keptLogger = new DefaultLogger('ERROR', (entry) => globalThis.keptLog.push(entry));

/** The environment of a single activity. */
export function activityEnvironment(
  info: ConstructorParameters<typeof MockActivityEnvironment>[0] = {},
  options: MockActivityEnvironmentOptions = {},
): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger: keptLogger, ...options });
}
