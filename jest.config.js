const { availableParallelism } = require('node:os');

const isFull = process.env.SEGUE_TEST_FULL === '1';

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  runtime: '<rootDir>/test/support/jest/runtime.js',
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
  moduleNameMapper: {
    // Source files import './x.js' dynamically; under jest that is './x.ts'.
    '^(\\.{1,2}/[\\w./]+)\\.js$': '$1',
    '^@segue/(sandbox|devserver)$': '<rootDir>/$1/src',
  },
  globalSetup: '<rootDir>/test/support/jest/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/jest/globalTeardown.ts',
  reporters: ['default', 'summary', ['<rootDir>/test/support/jest/plainSummary.js', { failOnSkip: isFull }]],
  // Most tests wait for timers and servers, so there are two jest workers for every core. Full-size tests need a core each.
  maxWorkers: availableParallelism() * (isFull ? 1 : 2),
  // Closed workflows stay in memory: jest restarts a jest worker above this size.
  workerIdleMemoryLimit: '800MB',
  // Ends a test that hangs; eventually() gives up earlier, and says what it waited for.
  testTimeout: 240_000,
};
