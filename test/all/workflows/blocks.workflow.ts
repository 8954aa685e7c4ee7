/** The workflow of a team that polls something of its own. */
import { proxyActivities } from '@temporalio/workflow';
import {
  notifyOnce,
  type Polling,
  pollUntil,
  ProjectWrites,
  runMedia,
  writeResult,
} from '../../../src/workflows/blocks';

const { ask } = proxyActivities<{ ask: () => Promise<string> }>({
  startToCloseTimeout: '1m',
  retry: { maximumAttempts: 1 },
});

export function polling(times: Partial<Polling<string>>): Promise<string> {
  return pollUntil({ poll: ask, isOver: (news) => news === 'over', min: '10ms', max: '20ms', ...times });
}

/** As a caller in another language may start it. */
export async function careless(): Promise<string[]> {
  const missing = null as never;
  const calls = [
    notifyOnce(missing, missing),
    notifyOnce({ userId: 'u', workspaceId: 'w' }, missing),
    notifyOnce(
      { userId: 'u', workspaceId: 'w' },
      {
        event: 'ready',
        category: 'agentTaskCompleted',
        title: 't',
        message: 'm',
        sendBefore: '2026-11-19T18:00:00',
      },
    ),
    writeResult(new ProjectWrites(), missing),
    writeResult(new ProjectWrites(), { project: { resourcetype: 'campaign', id: '1' }, change: {} }),
  ];
  return endsOf(calls);
}

/** What the server or JSON does not take. */
export async function unrecordable(): Promise<string[]> {
  const change = { steps: [{ at: '/price', set: 5n }] };
  const ready = { event: 'ready', category: 'agentTaskCompleted' as const, title: 't', message: 'm' };
  const calls = [
    writeResult(new ProjectWrites(), { project: { resourcetype: 'campaign', id: '1' }, change }),
    notifyOnce({ userId: 'u', workspaceId: 'w' }, { ...ready, body: 'x'.repeat(2_000_000) }),
    runMedia({ key: 'shoe', tool: 'remove-background', request: { image_url: 'x'.repeat(3_000_000) } }),
  ];
  return endsOf(calls);
}

async function endsOf(calls: Promise<unknown>[]): Promise<string[]> {
  const ends = await Promise.allSettled(calls);
  return ends.map((end) => (end.status === 'rejected' ? (end.reason as Error).message : 'done'));
}

export { firing } from '../../../src/workflows/firing';
export { mediaRequest } from '../../../src/workflows/mediaRequest';
export { runRequest } from '../../../src/workflows/runRequest';

export async function product(): Promise<void> {
  await runMedia({
    key: 'shoe',
    tool: 'remove-background',
    request: { image_url: 'https://example.com/shoe.png' },
  });
}
