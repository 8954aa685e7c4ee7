/** The operations of the Nexus service: each is a `runRequest`, which finds or starts the run of the key. */
import { startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import { serviceHandler } from 'nexus-rpc';
import { RUN_REQUEST_WORKFLOW, type RequestKind, type RequestSpecs } from '../contract';
import { segueService } from '../contract/nexus';

export const nexusHandler = serviceHandler(segueService, {
  media: requestOf('media'),
  transcript: requestOf('transcript'),
  record: requestOf('record'),
  campaign: requestOf('campaign'),
  batch: requestOf('batch'),
});

function requestOf<Kind extends RequestKind, Result>(
  kind: Kind,
): WorkflowRunOperationHandler<RequestSpecs[Kind], Result> {
  return new WorkflowRunOperationHandler((context, spec) =>
    startWorkflow<(request: object) => Promise<Result>>(context, RUN_REQUEST_WORKFLOW, {
      workflowId: `request/${context.requestId}`,
      args: [{ kind, spec }],
    }),
  );
}
