/**
 * Runs every test file of a jest process in Node's own context instead of a new one for each file. Only so can files share
 * the packages that ./runtime.js loads once: objects of two contexts fail each other's `instanceof`.
 */
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');
const showLogOfFailed = require('./keptLog.js');

const { compileFunction } = vm;
vm.compileFunction = (code, parameters, { parsingContext: _, ...options }) =>
  compileFunction(code, parameters, options);

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

  handleTestEvent({ name, test }) {
    if (name === 'test_done') showLogOfFailed(test);
  }

  /** Removes the globals of jest and of tests, and restores the environment, for the next file. */
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
