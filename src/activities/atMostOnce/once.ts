import { activityInfo, heartbeat } from '@temporalio/activity';
import { HEARTBEAT_EVERY_MS, RECORDING_MARGIN_MS } from '../../contract';
import { type GuardOptions, reasonNotToSend } from './guards';
import { markSending } from './markSending';

export interface SendWindow {
  timeoutMs: number;
  sendBefore: number;
  /** The last step before a paid request, see {@link markSending}: done once. When it gives false, nothing may be sent. */
  mark: (n: number) => Promise<boolean>;
}

/** Nothing was sent by this execution; an earlier one may have. */
export interface NotBegun {
  outcome: 'unknown' | 'notSent';
  reason: string;
}

export const NOT_AWAITED: NotBegun & { outcome: 'notSent' } = {
  outcome: 'notSent',
  reason: 'its run could not be signalled, or no longer waits for this attempt',
};

/**
 * Runs `send` unless this activity may have sent before; whatever happens around it, it sends at most once. `notes` is
 * what the server keeps of it with each heartbeat, should the worker die.
 */
export async function sendOnce<Outcome>(
  orderedByRun: string,
  guards: GuardOptions,
  send: (window: SendWindow) => Promise<Outcome>,
  notes: () => unknown = () => undefined,
): Promise<Outcome | NotBegun> {
  const info = activityInfo();
  const refusal = reasonNotToSend(info, orderedByRun, guards);
  if (refusal) return { outcome: 'unknown', reason: `not sent again: ${refusal}` };

  // The outcome must be recorded before the server gives the activity up, so the POST gets less time than it has.
  const timeoutMs = Math.max(1, info.startToCloseTimeoutMs - RECORDING_MARGIN_MS);
  const alive = setInterval(() => {
    heartbeat(notes());
  }, HEARTBEAT_EVERY_MS);
  try {
    let marking: Promise<boolean> | undefined;
    const mark = (n: number): Promise<boolean> => (marking ??= markSending(n, notes()));
    // Not given the activity's cancellation: it fires when the worker shuts down too, and a POST cut off is unknown.
    return await send({ timeoutMs, sendBefore: Date.now() + timeoutMs, mark });
  } finally {
    clearInterval(alive);
  }
}
