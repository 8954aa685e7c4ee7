/** Manifests: read line by line, checked as a whole, handed over in partitions. */
export {
  checkManifest,
  type CheckOptions,
  type ManifestCheck,
  type ManifestProblem,
  type ManifestWarning,
  type PartitionOutline,
} from './check';
export { type HandOverOptions, readPartitions } from './handOver';
export { type ManifestLine } from './lines';
export { type Partition } from './partitions';
export { type RereadableManifest, withManifest } from './rereadable';
export { manifestLines, manifestName } from './source';
