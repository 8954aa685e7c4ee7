/**
 * Answers a run in place of its project's writer, as soon as the run asks for a change. Sends malformed answers first,
 * which the run must ignore.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import { type temporal as proto } from '@temporalio/proto';
import { changedSignal, type RequestChangesOrder, stateQuery } from '../../../src/contract';
import { eventually } from '../eventually';
import { type TestTemporal } from '../servers/temporal';

export async function answerAsWriter({ client }: TestTemporal, workflowId: string): Promise<void> {
  const run = client.workflow.getHandle(workflowId);
  const changeId = await eventually('the ask', async () => {
    const { events } = await run.fetchHistory();
    return events?.map(changeIdOf).find((id) => id !== undefined);
  });
  const reply = { applied: [], refused: [], noRoom: [], unknown: [] };
  const malformed = [null, { refused: [{ changeId, error: { toString: 1 } }] }, { applied: { 0: changeId } }];
  for (const answer of malformed) await run.signal(changedSignal, answer as never);
  // The query returns only after the run has handled the malformed answers.
  await run.query(stateQuery);
  await run.signal(changedSignal, { ...reply, applied: [changeId] });
}

/** The id of the change that this event asks for. */
function changeIdOf({
  activityTaskScheduledEventAttributes: asked,
}: proto.api.history.v1.IHistoryEvent): string | undefined {
  const [order] = asked?.activityType?.name === 'requestChanges' ? (asked.input?.payloads ?? []) : [];
  return order && defaultPayloadConverter.fromPayload<RequestChangesOrder>(order).requests[0]?.changeId;
}
