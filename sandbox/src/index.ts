/** What commands, tests and benchmarks use of the sandbox. */
export { sampleUrls } from './images/samples';
export { type LedgerEntry, type LedgerSummary } from './ledger';
export { RECORD_PATHS } from './operations/records';
export { originOf } from './origin';
export { type Pace, PACE_FORM, parsePace } from './pace';
export { loadSeed } from './seed';
export { type Sandbox, SANDBOX_KEY, type SandboxOptions, startSandbox } from './server';
