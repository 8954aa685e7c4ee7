import {
  ActivityFailure,
  condition,
  continueAsNew,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { acceptedSignal, type LateAnswer, type SegueActivities, stateQuery } from '../../../src/contract';

export interface LateInput {
  key: string;
  /** What the run does when the activity is given up. */
  then: 'wait' | 'continue' | 'end';
  /** Whether the activity was given up, in an earlier run. */
  givenUp?: boolean;
}

/** Submits once, and waits for the late answer when the server gives the activity up. */
export async function lateAnswer(input: LateInput): Promise<LateAnswer | { taskId: string } | null> {
  let late: LateAnswer | undefined;
  let givenUp = input.givenUp ?? false;
  setHandler(acceptedSignal, (answer) => {
    late = answer;
  });
  setHandler(stateQuery, () => ({ stage: givenUp ? 'held' : 'submitting' }) as never);
  if (!input.givenUp) {
    const { submit } = proxyActivities<SegueActivities>({
      startToCloseTimeout: '1m',
      heartbeatTimeout: '1m',
      retry: { maximumAttempts: 1 },
    });
    try {
      const request = { image_url: 'https://example.com/a.png' };
      const { runId } = workflowInfo();
      const order = { key: input.key, attempt: 3, tool: 'remove-background', request, runId } as const;
      let outcome = await submit(order);
      // On a busy machine the server may take too long to confirm the mark before the POST.
      while (outcome.outcome === 'notSent') outcome = await submit(order);
      if (outcome.outcome === 'accepted') return { taskId: outcome.taskId };
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
    }
    if (input.then === 'end') return null;
    if (input.then === 'continue') await continueAsNew({ ...input, givenUp: true });
    givenUp = true;
  }
  await condition(() => late !== undefined);
  return late ?? null;
}
