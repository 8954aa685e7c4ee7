/** The workflow of a team that polls something of its own. */
import { proxyActivities } from '@temporalio/workflow';
import { type Polling, pollUntil } from '../../../src/workflows/blocks';

const { ask } = proxyActivities<{ ask: () => Promise<string> }>({
  startToCloseTimeout: '1m',
  retry: { maximumAttempts: 1 },
});

export function polling(times: Partial<Polling<string>>): Promise<string> {
  return pollUntil({ ask, isOver: (news) => news === 'over', min: '10ms', max: '20ms', ...times });
}
