/** Closes a run with what was skipped, whose names say why, and one plain line that any program can read. */
module.exports = class PlainSummary {
  constructor({ testNamePattern }) {
    this.isWhole = !testNamePattern;
  }

  onRunComplete(_contexts, results) {
    const tests = results.testResults.flatMap((file) => file.testResults);
    // With a pattern, what does not match it counts as skipped.
    for (const { status, fullName } of this.isWhole ? tests : [])
      if (status === 'pending') process.stdout.write(`skipped: ${fullName}\n`);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.stdout.write(
      `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
};
