/** What every row has in common: one Temporal server and one sandbox, and workers that come and go. */
const path = require('node:path');
const { Client, Connection } = require('@temporalio/client');
const { loadLocalTemporalConfig } = require('../dist/config');
const { SANDBOX_KEY } = require('../dist/sandbox/keys');
const { findTemporalBinary } = require('../dist/temporal/find');
const { startDevServer } = require('../dist/temporal/devServer');
const { freePort } = require('../dist/temporal/ports');
const { HEAP_MIB, MEMORY, POST_LATENCY_MS, SUBMITS_ON_WIRE } = require('./settings');
const { startScript } = require('./measured');

const SEGUE = path.join(__dirname, '..', 'bin', 'segue');

/** Runs `work` on it, and ends all its processes, whatever happens. */
async function onStage({ profile }, work) {
  const running = [];
  const keep = (process) => {
    running.push(process);
    return process;
  };
  const say = (line) => process.stderr.write(`${line}\n`);
  try {
    const binary = await findTemporalBinary(loadLocalTemporalConfig(), say);
    const metricsPort = await freePort();
    const server = keep(await startDevServer(binary.path, { uiPort: false, metricsPort }));
    const connection = await Connection.connect({ address: server.address });
    keep({ stop: () => connection.close() });
    const nodeFlags = [
      `--max-old-space-size=${HEAP_MIB}`,
      ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
    ];
    const working = work({
      client: new Client({ connection }),
      address: server.address,
      serverPid: server.process.pid,
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
          await startScript(
            require.resolve('./handWritten/worker'),
            [server.address, taskQueue, apiUrl, SANDBOX_KEY],
            { nodeFlags, env: MEMORY },
          ),
        ),
    });
    return await Promise.race([working, untilInterrupted()]);
  } finally {
    for (const { stop } of running.reverse()) await stop().catch(say);
  }
}

/** Ctrl-C ends what was started, too. */
function untilInterrupted() {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => reject(new Error(`stopped by ${signal}`)));
  });
}

/** A service whose tasks are over at this poll, and which takes a while for every POST. */
async function startSandbox(polls) {
  const sandbox = await startScript(SEGUE, ['sandbox', '--port', '0', '--pace', `polls=${polls}`]);
  const url = sandbox.ready.split(' ')[1];
  for (const operation of ['remove-background', 'notify'])
    await control(url, 'faults', {
      ...{ operation, match: { every: 1 } },
      ...{ fault: 'delay', ms: POST_LATENCY_MS, when: 'before' },
    });
  return { ...sandbox, url };
}

async function control(sandboxUrl, what, body) {
  const response = await fetch(`${sandboxUrl}/_sandbox/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** What the service counted, since it began. */
async function ledgerSummary(sandboxUrl) {
  const response = await fetch(`${sandboxUrl}/_sandbox/ledger?entries=no`);
  return (await response.json()).summary;
}

module.exports = { onStage, control, ledgerSummary };
