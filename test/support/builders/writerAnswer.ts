/**
 * Answers a run in place of its project's writer, as soon as the run asks for a change. Sends malformed answers first,
 * which the run must ignore.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import { type temporal as proto } from '@temporalio/proto';
import { changedSignal, type RequestChangeOrder, stateQuery } from '../../../src/contract';
import { eventually } from '../eventually';
import { type TestTemporal } from '../servers/temporal';

export async function answerAsWriter({ client }: TestTemporal, workflowId: string): Promise<void> {
  const run = client.workflow.getHandle(workflowId);
  const changeId = await eventually('the ask', async () => {
    const { events } = await run.fetchHistory();
    return events?.map(changeIdOf).find((id) => id !== undefined);
  });
  const malformed = [{ changeId, ok: false, error: { toString: 1 } }, { changeId }];
  for (const answer of malformed) await run.signal(changedSignal, answer as never);
  // The query returns only after the run has handled the malformed answers.
  await run.query(stateQuery);
  await run.signal(changedSignal, { changeId, ok: true });
}

/** Of the change that this event asks for. */
function changeIdOf({
  activityTaskScheduledEventAttributes: asked,
}: proto.api.history.v1.IHistoryEvent): string | undefined {
  const [order] = asked?.activityType?.name === 'requestChange' ? (asked.input?.payloads ?? []) : [];
  return order && defaultPayloadConverter.fromPayload<RequestChangeOrder>(order).changeId;
}
