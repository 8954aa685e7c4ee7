/** Answers a workflow task by hand with ContinueAsNew, to start a run with carried state. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, mapToPayloads, toPayloads } from '@temporalio/common';
import { temporal as proto } from '@temporalio/proto';
import { OWN_START } from '../builders/jobs';
import { type TestTemporal } from './temporal';

const { COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION } = proto.api.enums.v1.CommandType;
const LONGEST_POLL_MS = 60_000;

/** Starts a run that continues another as new, so its input may have state. Gives a handle that follows its runs. */
export async function startContinued(
  temporal: Pick<TestTemporal, 'client'>,
  workflowType: string,
  { workflowId, taskQueue, memo, args }: Continued,
): Promise<WorkflowHandle> {
  const { workflow } = temporal.client;
  const aside = `aside-${randomUUID()}`;
  await workflow.start(workflowType, { workflowId, taskQueue: aside });
  await answerFirstTask(temporal, aside, { taskQueue, memo, args });
  return workflow.getHandle(workflowId);
}

interface Continued {
  workflowId: string;
  taskQueue: string;
  memo?: Record<string, unknown>;
  args: unknown[];
}

/** Makes the run whose task waits in a queue continue as new with these arguments. Nothing else may poll the queue. */
export function continueAsNew(
  temporal: Pick<TestTemporal, 'client'>,
  taskQueue: string,
  ...args: unknown[]
): Promise<void> {
  return answerFirstTask(temporal, taskQueue, { taskQueue, args });
}

async function answerFirstTask(
  { client }: Pick<TestTemporal, 'client'>,
  queue: string,
  next: Omit<Continued, 'workflowId'>,
): Promise<void> {
  const namespace = 'default';
  const { workflowService } = client;
  // The server requires a deadline for polls.
  const { taskToken, workflowType } = await client.withDeadline(Date.now() + LONGEST_POLL_MS, () =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: queue } }),
  );
  const input = { payloads: toPayloads(defaultPayloadConverter, ...next.args) };
  const memo = { fields: mapToPayloads(defaultPayloadConverter, next.memo ?? OWN_START) };
  const taskQueue = { name: next.taskQueue };
  const command = {
    commandType: COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION,
    continueAsNewWorkflowExecutionCommandAttributes: { workflowType, taskQueue, input, memo },
  };
  await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands: [command] });
}
