/** The workflow of a team that polls something of its own. */
import { proxyActivities } from '@temporalio/workflow';
import {
  notifyOnce,
  type Polling,
  pollUntil,
  ProjectWrites,
  writeResult,
} from '../../../src/workflows/blocks';

const { ask } = proxyActivities<{ ask: () => Promise<string> }>({
  startToCloseTimeout: '1m',
  retry: { maximumAttempts: 1 },
});

export function polling(times: Partial<Polling<string>>): Promise<string> {
  return pollUntil({ ask, isOver: (news) => news === 'over', min: '10ms', max: '20ms', ...times });
}

/** As a caller in another language may start it. */
export async function careless(): Promise<string[]> {
  const missing = null as never;
  const calls = [
    notifyOnce(missing, missing),
    notifyOnce({ userId: 'u', workspaceId: 'w' }, missing),
    writeResult(new ProjectWrites(), missing),
    writeResult(new ProjectWrites(), { project: { resourcetype: 'campaign', id: '1' }, change: {} }),
  ];
  const ends = await Promise.allSettled(calls);
  return ends.map((end) => (end.status === 'rejected' ? (end.reason as Error).message : 'done'));
}
