/** What commands, tests and benchmarks use of the Temporal server. */
export { type DevServer, type DevServerOptions, FAIRNESS_SETTING, startDevServer } from './devServer';
export { answers, downloadWithSdk, type ProxySettings } from './download';
export { goBuildEnvironment, withoutTemporalSettings } from './environment';
export {
  findTemporalBinary,
  type FindOptions,
  NoTemporalError,
  type Say,
  TEMPORAL_CLI_VERSION,
} from './find';
export { claimFolder, underLock } from './lock';
export { freePort, isPortFree } from './ports';
export { runToEnd, spawnTethered, stopProcess, untilServing } from './process';
