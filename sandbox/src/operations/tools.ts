import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sandboxTools, type SandboxTool } from '../images/tools';
import { defineOperation, type Operation } from '../operation';

const accepted = z.object({ task_id: z.string() }).meta({ id: 'Accepted' });

/** A submit operation for each media tool. */
export const submitOperations: Operation[] = Object.entries(sandboxTools).map(
  ([name, tool]: [string, SandboxTool]) =>
    defineOperation({
      name,
      kind: 'submit',
      method: 'POST',
      url: `/api/v1/tools/${name}`,
      summary: tool.summary,
      body: tool.request,
      answers: { 202: { description: 'The job is accepted; its end is polled.', schema: accepted } },
      handle({ body, caller }) {
        const id = randomUUID();
        const task = {
          id,
          tool: name,
          request: body,
          workspace: caller.workspace,
          submittedAt: new Date().toISOString(),
        };
        return { status: 202, body: { task_id: id }, taskId: id, changes: [{ type: 'task', task }] };
      },
    }),
);
