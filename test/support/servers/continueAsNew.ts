/** What a workflow does that has run for long, without a worker: whoever answers its task decides. */
import { toPayloads, defaultPayloadConverter } from '@temporalio/common';
import { temporal as proto } from '@temporalio/proto';
import { type TestTemporal } from './temporal';

const { COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION } = proto.api.enums.v1.CommandType;
const LONGEST_POLL_MS = 60_000;

/** Has the one run whose task waits in a queue continue as new, with these arguments. Nobody else may poll that queue. */
export async function continueAsNew(
  { client }: Pick<TestTemporal, 'client'>,
  queue: string,
  ...args: unknown[]
): Promise<void> {
  const [namespace, taskQueue] = ['default', { name: queue }];
  const { workflowService } = client;
  // The server takes no poll without an end.
  const { taskToken, workflowType } = await client.withDeadline(Date.now() + LONGEST_POLL_MS, () =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue }),
  );
  const input = { payloads: toPayloads(defaultPayloadConverter, ...args) };
  const command = {
    commandType: COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION,
    continueAsNewWorkflowExecutionCommandAttributes: { workflowType, taskQueue, input },
  };
  await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands: [command] });
}
