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
  // A dynamic import names the file that the build makes.
  moduleNameMapper: { '^(\\.{1,2}/[\\w./]+)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/jest/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/jest/globalTeardown.ts',
  reporters: ['default', 'summary', '<rootDir>/test/support/jest/plainSummary.js'],
  // Tests and the servers they talk to keep the processors busy: more processes would only make each of them slower.
  maxWorkers: '100%',
  // Workflows that ran in a test process stay in its memory, and a full one is slow: then a new one goes on.
  workerIdleMemoryLimit: '500MB',
  testTimeout: 60_000,
};
