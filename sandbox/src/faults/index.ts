import { delay } from './delay';
import { type Fault } from './fault';
import { garbage } from './garbage';
import { hang } from './hang';
import { reset } from './reset';
import { slowBody } from './slowBody';
import { status } from './status';
import { truncate } from './truncate';

/** Every fault that a rule can name. */
export const faults = {
  reset,
  hang,
  delay,
  truncate,
  status,
  garbage,
  'slow-body': slowBody,
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
