/**
 * Runs every test file of a jest process in Node's own context instead of a new one for each file. Only so can files share
 * the packages that ./runtime.js loads once: objects of two contexts fail each other's `instanceof`.
 */
const { formatWithOptions } = require('node:util');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext: _, ...options }) =>
  compileFunction(code, parameters, options);

/** What workers and activities logged since the last test (../servers/log.ts). */
globalThis.keptLog = [];

module.exports = class SharedContextEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.before = new Set(Reflect.ownKeys(globalThis));
    this.processEnv = { ...process.env };
    this.global = globalThis;
    this.moduleMocker = new this.moduleMocker.constructor(globalThis);
    const { projectConfig } = config;
    this.fakeTimersModern = new this.fakeTimersModern.constructor({
      config: projectConfig,
      global: globalThis,
    });
  }

  /** Shows what was logged in a test that failed: most of what others log is what they are about. */
  handleTestEvent({ name, test }) {
    if (name !== 'test_done') return;
    if (test.errors.length > 0) showLog(test.name);
    // Tests that run side by side are all begun before the first of them is over.
    if (test.errors.length > 0 || !test.concurrent) globalThis.keptLog.length = 0;
  }

  /** Leaves the next file no globals of jest's or of a test's, and the environment as it was. */
  async teardown() {
    this.moduleMocker.restoreAllMocks();
    await super.teardown();
    for (const key of Reflect.ownKeys(globalThis)) {
      if (!this.before.has(key)) Reflect.deleteProperty(globalThis, key);
    }
    for (const name of Object.keys(process.env)) {
      if (!(name in this.processEnv)) Reflect.deleteProperty(process.env, name);
    }
    Object.assign(process.env, this.processEnv);
  }
};

function showLog(testName) {
  // The SDK keeps entries for a moment, to sort them.
  require('@temporalio/worker').Runtime._instance?.flushLogs();
  for (const { level, message, meta = '' } of globalThis.keptLog)
    process.stderr.write(
      formatWithOptions({ depth: 4 }, '[%s] in "%s": %s %o\n', level, testName, message, meta),
    );
}
