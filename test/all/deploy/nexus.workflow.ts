/** The workflow of another team: it knows the endpoint of Segue, no ids and no queues. */
import { createNexusServiceClient } from '@temporalio/workflow';
import { type RequestSpecs } from '../../../src/contract';
import { segueService } from '../../../src/contract/nexus';

type Kind = keyof RequestSpecs;

export async function caller(
  endpoint: string,
  ...calls: { [K in Kind]: { kind: K; spec: RequestSpecs[K] } }[Kind][]
): Promise<unknown[]> {
  const segue = createNexusServiceClient({ endpoint, service: segueService });
  return Promise.all(calls.map(({ kind, spec }) => segue.executeOperation(kind, spec as never)));
}
