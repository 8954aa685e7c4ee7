/** Manifests: read line by line, checked as a whole, handed over in partitions. */
export {
  checkManifest,
  type CheckOptions,
  type ManifestCheck,
  type ManifestProblem,
  type ManifestWarning,
} from './check';
export { type CheckedManifest, type ManifestOptions, problemLines, withCheckedManifest } from './checked';
export { type Partition } from './cutting';
export { type HandOverOptions, readPartitions } from './handOver';
export { type ManifestLine } from './lines';
export { type RereadableManifest, withManifest } from './rereadable';
export { manifestLines, manifestName, problemsOfSource } from './source';
