/** Manifests: read line by line, checked as a whole, handed over in partitions. */
export {
  type CheckedManifest,
  checkManifest,
  type CheckOptions,
  type HandOverOptions,
  type ManifestCheck,
  type ManifestOptions,
  type ManifestProblem,
  problemLines,
  readPartitions,
  withCheckedManifest,
} from './check';
export { type ManifestLine } from './lines';
export { type Partition } from './partitions';
export { manifestLines, manifestName, validateSource, type RereadableManifest, withManifest } from './source';
export { type ManifestWarning } from './warnings';
