import { activityInfo, heartbeat } from '@temporalio/activity';
import { HEARTBEAT_EVERY_MS, RECORDING_MARGIN_MS } from '../contract';
import { type GuardOptions, reasonNotToSend } from './guards';
import { isStillOurs } from './stillOurs';

export interface SendWindow {
  timeoutMs: number;
  sendBefore: number;
}

/** Nothing was sent by this execution; an earlier one may have. */
export interface NotBegun {
  outcome: 'unknown' | 'notSent';
  reason: string;
}

/**
 * Runs `send` unless this activity may have sent before; whatever happens around it, it sends at most once. `notes` is
 * what the server keeps of it with each sign of life, should the worker die.
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
    const asked = Date.now();
    if (!(await isStillOurs(notes()))) return { outcome: 'notSent', reason: 'Temporal waits for it no more' };
    // Not given the activity's cancellation: it fires when the worker shuts down too, and a POST cut off is unknown.
    return await send({ timeoutMs, sendBefore: asked + timeoutMs });
  } finally {
    clearInterval(alive);
  }
}
