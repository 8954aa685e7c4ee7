/** For a team's own tests. It needs the packages of development, which are loaded when a test asks for them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { forDevelopment } from './cli/servers';
import { Segue } from './client';
import { loadLocalConfig } from './config';

export interface TestEnvironmentOptions {
  /** How long a task takes in the sandbox: "instant" (the default), "polls=N" or a duration. */
  pace?: string;
}

export interface TestEnvironment {
  segue: Segue;
  /** The service: its samples, faults and ledger are below this address. */
  sandboxUrl: string;
  temporalAddress: string;
  taskQueue: string;
  /** What the environment of another worker, or of the `segue` command, needs. */
  settings: Record<string, string>;
  stop: () => Promise<void>;
}

/** Starts a Temporal server, the sandbox and a worker on free ports. They remember nothing of an earlier start. */
export async function startTestEnvironment({
  pace = 'instant',
}: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const { SANDBOX_KEY, startLocalStack, readPace } = await forDevelopment(
    'startTestEnvironment',
    async () => ({
      ...(await import('@segue/sandbox')),
      ...(await import('./cli/servers/localStack.js')),
      ...(await import('./cli/servers/sandbox.js')),
    }),
  );
  const local = loadLocalConfig();
  const poll = { ...local.starter.poll, min: '50ms', max: '100ms' } as const;
  const state = await mkdtemp(path.join(tmpdir(), 'segue-test-'));
  const stack = await startLocalStack({
    // Never a cluster that the environment names.
    config: {
      ...local,
      temporal: { ...local.temporal, existing: undefined },
      starter: { ...local.starter, poll },
    },
    state,
    ports: { temporal: 0, ui: 0, sandbox: 0 },
    pace: readPace(pace),
  });
  const { address } = stack.temporal;
  const segue = await Segue.connect({ temporal: { address }, ...stack.config });
  return {
    segue,
    sandboxUrl: stack.sandbox.url,
    temporalAddress: address,
    taskQueue: stack.config.taskQueue,
    settings: {
      TEMPORAL_ADDRESS: address,
      SEGUE_TASK_QUEUE: stack.config.taskQueue,
      SEGUE_API_URL: stack.sandbox.url,
      SEGUE_API_KEY: SANDBOX_KEY,
    },
    stop: async () => {
      try {
        await segue.close();
      } finally {
        await stack.stop();
        await rm(state, { recursive: true, force: true });
      }
    },
  };
}
