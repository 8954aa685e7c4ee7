/** What Segue uses of the Temporal SDK that the SDK does not export: after an upgrade, look here first. */
export { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
export { optionalTsToMs } from '@temporalio/common/lib/time';
