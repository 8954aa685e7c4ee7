/** Namespaces besides the default one. */
import { randomUUID } from 'node:crypto';
import { eventually } from '../eventually';
import { type TestTemporal } from './temporal';

/** A new namespace, without Segue's search attributes. */
export async function emptyNamespace({ client }: TestTemporal): Promise<string> {
  const namespace = `empty-${randomUUID()}`;
  await client.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 } as never,
  });
  // The server's parts learn of a new namespace one after the other.
  await eventually('the namespace', async () => {
    await client.connection.operatorService.listSearchAttributes({ namespace });
    await client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: 'any' } });
    return true;
  });
  return namespace;
}
