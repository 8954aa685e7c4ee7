/** Single activities, over real sockets. */
import { createActivities } from '../../../src/activities';
import { type Api } from '../../../src/api/client';
import { Credential } from '../../../src/api/credential';
import { SANDBOX_KEY } from '../../../sandbox/src/keys';
import { type Sandbox } from '../../../sandbox/src/server';
import { testApi } from '../service/api';
import { useSandbox } from '../service/sandbox';
import { activityEnvironment } from '../servers/log';

export interface Circumstances {
  /** The address of another service than the sandbox. */
  api?: Api;
  heartbeatDetails?: unknown;
  scheduledTimestampMs?: number;
  onHeartbeat?: (details: unknown) => void;
}

type General = ReturnType<typeof createActivities>['general'];

export interface SandboxActivities {
  sandbox: Sandbox;
  /** Runs one of the activities that are not submits, once. */
  run: <Order, Result>(
    which: (general: General) => (order: Order) => Promise<Result>,
    order: Order,
    how: Circumstances,
  ) => Promise<Result>;
}

/** Called at the top of a test file: starts one sandbox, which the activities call. */
export function useActivities(): SandboxActivities {
  const sandbox = useSandbox();
  let ofSandbox: Api;
  beforeAll(() => {
    ofSandbox = testApi(sandbox.url, { credential: Credential.apiKey(SANDBOX_KEY) });
  });
  afterAll(() => ofSandbox.close());
  return {
    sandbox,
    run: (which, order, { api = ofSandbox, ...circumstances }) =>
      environment(circumstances).run(which(createActivities(api).general), order),
  };
}

function environment({
  heartbeatDetails,
  scheduledTimestampMs = Date.now(),
  onHeartbeat,
}: Omit<Circumstances, 'api'>) {
  const made = activityEnvironment({ startToCloseTimeoutMs: 60_000, heartbeatDetails, scheduledTimestampMs });
  if (onHeartbeat) made.on('heartbeat', onHeartbeat);
  return made;
}
