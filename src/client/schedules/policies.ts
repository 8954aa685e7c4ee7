/** What becomes of a firing while the one before it is open, in the server's words and in Segue's. */
import { type ScheduleOverlapPolicy } from '@temporalio/client';
import { type ScheduleOverlap } from '../../contract';

const POLICIES = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'buffer-all': 'BUFFER_ALL',
  'allow-all': 'ALLOW_ALL',
} as const satisfies Record<ScheduleOverlap, ScheduleOverlapPolicy>;

export function policyOf(overlap: ScheduleOverlap): ScheduleOverlapPolicy {
  return POLICIES[overlap];
}

/** Two that Segue gives to no schedule: somebody else may. */
export type ShownOverlap = ScheduleOverlap | 'cancel-other' | 'terminate-other';

const SHOWN = {
  SKIP: 'skip',
  BUFFER_ONE: 'buffer-one',
  BUFFER_ALL: 'buffer-all',
  ALLOW_ALL: 'allow-all',
  CANCEL_OTHER: 'cancel-other',
  TERMINATE_OTHER: 'terminate-other',
} as const satisfies Record<NonNullable<ScheduleOverlapPolicy>, ShownOverlap>;

export function shownOverlap(policy: ScheduleOverlapPolicy): ShownOverlap {
  // The server says one of them; the SDK's type has room for none.
  return SHOWN[policy ?? 'SKIP'];
}
