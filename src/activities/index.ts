import { log } from '@temporalio/activity';
import { type MetricMeter, noopMetricMeter } from '@temporalio/common';
import { type Api } from '../api/client';
import { type SegueActivities } from '../contract';
import { countBreakerChange } from '../metrics';
import { Breaker, type BreakerChange } from './breaker';
import { createCalls } from './calls';
import { type GuardOptions } from './guards';
import { createNotify } from './notify';
import { createSubmit } from './submit';

export interface ActivityOptions extends GuardOptions {
  /** Of the process: what is counted here belongs to no single activity. */
  meter?: MetricMeter;
  /** The breaker's clock. */
  now?: () => number;
}

/** Everything a Segue worker can do for a workflow, by the queue that does it. */
export function createActivities(
  api: Api,
  { meter = noopMetricMeter, now, ...guards }: ActivityOptions = {},
) {
  // One for all that submits with this credential.
  const breaker = new Breaker({
    now,
    onChange: (change) => {
      announce(change, meter);
    },
  });
  const general = { ...createCalls(api), notify: createNotify(api, guards) };
  const submits = { submit: createSubmit(api, breaker, guards) };
  // What the contract promises is registered on one of the two.
  ({ ...general, ...submits }) satisfies SegueActivities;
  return { general, submits };
}

function announce(change: BreakerChange, meter: MetricMeter): void {
  countBreakerChange(meter, change);
  if (change.to === 'open') log.error('submits are held back', { why: change.why });
  else log.info('submits are sent again', { heldBackMs: Math.round(change.openMs) });
}
