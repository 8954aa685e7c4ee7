/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // A dynamic import names the file that the build makes.
  moduleNameMapper: { '^(\\.{1,2}/[\\w/]+)\\.js$': '$1' },
  // Globals of a test file's own are slow to look up, and the sandbox asks this one for every point of its pictures.
  sandboxInjectedGlobals: ['Math'],
  globalSetup: '<rootDir>/test/support/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
  reporters: ['default', 'summary', '<rootDir>/test/support/plainSummary.js'],
  // Most of the time a test waits for a timer of somebody else's; more would starve the servers they all talk to.
  maxWorkers: 4,
  // Workflows that ran in a test process stay in its memory, and a full one is slow: then a new one goes on.
  workerIdleMemoryLimit: '500MB',
  testTimeout: 60_000,
};
