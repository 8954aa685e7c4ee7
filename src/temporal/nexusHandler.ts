import { startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import { serviceHandler } from 'nexus-rpc';
import { RUN_REQUEST_WORKFLOW, type RequestKind, type RequestSpecs, type RunRequest } from '../contract';
import { segueService } from '../nexus';
import { type runRequest } from '../workflows';

export const nexusHandler = serviceHandler(segueService, {
  media: requestOf('media'),
  transcript: requestOf('transcript'),
  record: requestOf('record'),
  campaign: requestOf('campaign'),
  batch: requestOf('batch'),
});

/** A request of its own for each call, which finds the run of the key. */
function requestOf<Kind extends RequestKind, Result>(
  kind: Kind,
): WorkflowRunOperationHandler<RequestSpecs[Kind], Result> {
  return new WorkflowRunOperationHandler(async (context, spec) => {
    const request = { kind, spec } as RunRequest;
    return startWorkflow<typeof runRequest>(context, RUN_REQUEST_WORKFLOW, {
      workflowId: `request/${context.requestId}`,
      args: [request],
    }) as never;
  });
}
