/** The environment of all rows: one Temporal server, sandboxes and workers. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type LedgerEntry, type LedgerSummary, SANDBOX_KEY } from '@segue/sandbox';
import { Client, Connection } from '@temporalio/client';
import { findTemporalBinary, freePort, startDevServer } from '@segue/devserver';
import { loadLocalTemporalConfig } from '../src/config';
import { allSearchAttributes } from '../src/contract/searchAttributes';
import { pidOf, runScript, type Script, startScript } from './measured';
import { HEAP_MIB, MEMORY, POST_LATENCY_MS, SUBMITS_ON_WIRE } from './settings';

const SEGUE = path.join(__dirname, '..', 'bin', 'segue');
/** Compiled by `npm run bench`. */
const HAND_WRITTEN_WORKER = path.join(__dirname, 'handWritten', 'dist', 'worker.js');

export interface BenchSandbox extends Script {
  url: string;
}

export interface Stage {
  client: Client;
  serverPid: number;
  metricsUrl: string;
  say: (line: string) => void;
  /** Starts a sandbox whose tasks are over at this poll. */
  sandbox: (polls: number) => Promise<BenchSandbox>;
  segueWorker: (taskQueue: string, apiUrl: string) => Promise<Script>;
  handWrittenWorker: (taskQueue: string, apiUrl: string) => Promise<Script>;
  /** Runs a command, which must exit with 0. */
  segue: (args: string[], env: Record<string, string>) => Promise<void>;
  /** A folder for files; deleted at the end. */
  folder: string;
}

/** Runs `work`, and always stops all processes afterwards. */
export async function onStage<Result>(
  { profile }: { profile?: string },
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const running: { stop: () => Promise<void> }[] = [];
  const keep = <Started extends { stop: () => Promise<void> }>(process: Started): Started => {
    running.push(process);
    return process;
  };
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const folder = await mkdtemp(path.join(os.tmpdir(), 'segue-bench-'));
  try {
    const binary = await findTemporalBinary(loadLocalTemporalConfig(), say);
    const metricsPort = await freePort();
    const server = keep(
      await startDevServer(binary.path, {
        uiPort: false,
        metricsPort,
        searchAttributes: allSearchAttributes,
      }),
    );
    const connection = await Connection.connect({ address: server.address });
    keep({ stop: () => connection.close() });
    const nodeFlags = [
      `--max-old-space-size=${HEAP_MIB}`,
      ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
    ];
    const working = work({
      client: new Client({ connection }),
      serverPid: pidOf(server.process),
      metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
      say,
      sandbox: async (polls) => keep(await startSandbox(polls)),
      segueWorker: async (taskQueue, apiUrl) =>
        keep(
          await startScript(SEGUE, ['worker'], {
            nodeFlags,
            env: {
              ...MEMORY,
              TEMPORAL_ADDRESS: server.address,
              SEGUE_TASK_QUEUE: taskQueue,
              SEGUE_API_URL: apiUrl,
              SEGUE_API_KEY: SANDBOX_KEY,
              SEGUE_MAX_SUBMITS: String(SUBMITS_ON_WIRE),
            },
          }),
        ),
      handWrittenWorker: async (taskQueue, apiUrl) =>
        keep(
          await startScript(HAND_WRITTEN_WORKER, [server.address, taskQueue, apiUrl, SANDBOX_KEY], {
            nodeFlags,
            env: MEMORY,
          }),
        ),
      segue: (args, env) => runScript(SEGUE, args, { TEMPORAL_ADDRESS: server.address, ...env }),
      folder,
    });
    return await Promise.race([working, untilInterrupted()]);
  } finally {
    for (const { stop } of running.reverse())
      await stop().catch((error: unknown) => {
        say(String(error));
      });
    await rm(folder, { recursive: true });
  }
}

/** Ctrl-C stops the processes too. */
function untilInterrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => {
        reject(new Error(`stopped by ${signal}`));
      });
  });
}

/** A sandbox whose tasks are over at this poll, and which delays the answer to every POST. */
async function startSandbox(polls: number): Promise<BenchSandbox> {
  const sandbox = await startScript(SEGUE, ['sandbox', '--port', '0', '--pace', `polls=${polls}`]);
  const [, url = ''] = sandbox.ready.split(' ');
  for (const operation of ['remove-background', 'notify'])
    await control(url, 'faults', {
      ...{ operation, match: { every: 1 } },
      ...{ fault: 'delay', ms: POST_LATENCY_MS, when: 'before' },
    });
  return { ...sandbox, url };
}

export async function control(sandboxUrl: string, what: string, body: object): Promise<void> {
  const response = await fetch(`${sandboxUrl}/_sandbox/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** The summary of the sandbox's ledger. */
export async function ledgerSummary(sandboxUrl: string): Promise<LedgerSummary> {
  return (await ledger(sandboxUrl, 'entries=no')).summary;
}

/** The ledger's entries of one operation, in order. */
export async function readLedger(sandboxUrl: string, operation: string): Promise<LedgerEntry[]> {
  return (await ledger(sandboxUrl, `operation=${operation}`)).entries;
}

async function ledger(
  sandboxUrl: string,
  query: string,
): Promise<{ entries: LedgerEntry[]; summary: LedgerSummary }> {
  const response = await fetch(`${sandboxUrl}/_sandbox/ledger?${query}`);
  return (await response.json()) as { entries: LedgerEntry[]; summary: LedgerSummary };
}
