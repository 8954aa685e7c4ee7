/**
 * Loads the packages of node_modules once for all test files of a jest process: the Temporal SDK alone takes a second to
 * load. Segue's own files are loaded anew for each test file, so that no test sees another one's state.
 */
const { createRequire } = require('node:module');
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');

const requirePackage = createRequire(path.resolve(__dirname, '../../../package.json'));

/** What is loaded for each test file: jest's own, and the sandbox, which tests use as source. */
const NOT_SHARED = /^(@jest\/|jest-|expect$|@segue\/)/;

module.exports = class SharedPackagesRuntime extends Runtime {
  requireModuleOrMock(from, name) {
    const isPackage = !name.startsWith('.') && !path.isAbsolute(name) && !NOT_SHARED.test(name);
    return isPackage ? requirePackage(name) : super.requireModuleOrMock(from, name);
  }
};
