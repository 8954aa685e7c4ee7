/** Keeps what workers and activities log (../servers/log.ts), and shows it with a test that fails: most of it is provoked. */
const { formatWithOptions } = require('node:util');

/** What was logged since the last test. */
globalThis.keptLog = [];

module.exports = function showLogOfFailed({ name, errors, concurrent }) {
  if (errors.length > 0) show(name);
  // Tests that run side by side are all begun before the first of them is over.
  if (errors.length > 0 || !concurrent) globalThis.keptLog.length = 0;
};

function show(testName) {
  // The SDK keeps entries for a moment, to sort them.
  require('@temporalio/worker').Runtime._instance?.flushLogs();
  for (const { level, message, meta = '' } of globalThis.keptLog)
    process.stderr.write(
      formatWithOptions({ depth: 4 }, '[%s] in "%s": %s %o\n', level, testName, message, meta),
    );
}
