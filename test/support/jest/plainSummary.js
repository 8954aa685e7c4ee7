/**
 * Ends a run with the skipped tests, and one plain line for programs. With CI set, a skip whose reason is not in
 * this list fails the run. With `failOnSkip`, every skip does.
 */
const EXPECTED_SKIPS = ['(skipped: the machine has no other address)'];

module.exports = class PlainSummary {
  constructor({ testNamePattern }, { failOnSkip }) {
    this.expected = failOnSkip ? [] : EXPECTED_SKIPS;
    // With a pattern, tests that do not match count as skipped.
    this.isWhole = !testNamePattern;
    this.unexpected = [];
  }

  onRunComplete(_contexts, results) {
    const tests = results.testResults.flatMap((file) => file.testResults);
    const skips = tests.filter(({ status }) => this.isWhole && (status === 'pending' || status === 'todo'));
    for (const { fullName } of skips) process.stdout.write(`skipped: ${fullName}\n`);
    if (process.env.CI)
      this.unexpected = skips.filter(({ fullName }) => !this.expected.some((end) => fullName.endsWith(end)));
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + this.unexpected.length;
    const skipped = results.numPendingTests + results.numTodoTests - this.unexpected.length;
    process.stdout.write(
      `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }

  getLastError() {
    if (this.unexpected.length > 0)
      return new Error(`${this.unexpected.length} tests must not be skipped here`);
  }
};
