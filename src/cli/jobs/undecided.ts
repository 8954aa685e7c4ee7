import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { DECIDABLE, UNDECIDED } from '../../client/jobs/held';
import { type Connected } from '../connect';
import { UsageError } from '../exit';
import { findRuns } from '../../runs/ownRun';

const GRPC_INVALID_ARGUMENT = 3;

/** Ids of the jobs that wait for a decision and match. */
export async function findUndecided({ temporal }: Connected, where: string): Promise<string[]> {
  const ids: string[] = [];
  try {
    for await (const run of findRuns(temporal, `${UNDECIDED} AND (${where})`, DECIDABLE))
      ids.push(run.workflowId);
  } catch (error) {
    const failure = error instanceof ServiceError ? error.cause : error;
    if (!isGrpcServiceError(failure) || (failure.code as number) !== GRPC_INVALID_ARGUMENT) throw error;
    throw new UsageError(`--where: Temporal does not understand the query: ${failure.details}`);
  }
  return ids;
}
