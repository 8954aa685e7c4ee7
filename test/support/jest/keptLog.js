/** Shows the log of workers and activities (../servers/log.ts) only if a test fails: tests provoke most of it. */
const { formatWithOptions } = require('node:util');

/** What was logged since the last test. */
globalThis.keptLog = [];

module.exports = function showLogOfFailed({ name, errors, concurrent }) {
  if (errors.length > 0) show(name);
  // Concurrent tests all start before the first of them ends.
  if (errors.length > 0 || !concurrent) globalThis.keptLog.length = 0;
};

function show(testName) {
  // The SDK buffers entries for a moment, to sort them.
  require('@temporalio/worker').Runtime._instance?.flushLogs();
  for (const { level, message, meta = '' } of globalThis.keptLog)
    process.stderr.write(
      formatWithOptions({ depth: 4 }, '[%s] in "%s": %s %o\n', level, testName, message, meta),
    );
}
