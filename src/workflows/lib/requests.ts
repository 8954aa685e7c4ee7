/** Starts or finds the run of a request, and waits for its end. */
import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { HEARTBEAT_TIMEOUT_MS, type RunRequest, type SegueActivities } from '../../contract';
import { listenForEnds, untilEnded, unwrapped, uncancellableOnceBegun } from './otherRuns';

/** Calls only the Temporal server, so it is retried without end. */
const { readRequested } = proxyActivities<SegueActivities>({ startToCloseTimeout: '40s' });
/** Reads the manifest of a batch, which may be long. */
const { startRequested } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
});

/** Somebody waits for the result, and a run with too many listeners does not report its end. */
const CHECK_EVERY_MS = 600_000;

export async function untilRequestedEnds(
  request: RunRequest,
  /** The next run attaches to the same run again. */
  continueAsNew: () => Promise<never>,
): Promise<object> {
  const reported = listenForEnds();
  const start = () => startRequested(request);
  const { workflowId, isOver } = await unwrapped(() =>
    request.kind === 'batch' ? uncancellableOnceBegun(start) : start(),
  );
  setCurrentDetails(`Waits for the end of \`${workflowId}\`.`);
  return untilEnded({
    ...{ workflowId, reported, mayHaveEnded: isOver, checkEveryMs: CHECK_EVERY_MS, continueAsNew },
    read: (isEnding) => unwrapped(() => readRequested({ workflowId, isEnding })),
  });
}
