/**
 * How many requests per second the sandbox handles on one core, to check that it is no bottleneck of other benchmarks:
 * `npm run bench:sandbox`. Pinned to one core if `taskset` exists; the load comes from the other cores.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { type Dispatcher, Pool } from 'undici';

const SECONDS = Number(process.argv[2] ?? 5);
const CONNECTIONS = 50;
const headers = { authorization: 'Api-Key sandbox-key', 'content-type': 'application/json' };
const canPin = spawnSync('taskset', ['--version']).status === 0;

interface Running {
  url: string;
  stop: () => Promise<void>;
}

async function start(...flags: string[]): Promise<Running> {
  const segue = [
    path.join(__dirname, '..', 'bin', 'segue'),
    'sandbox',
    '--port',
    '0',
    '--pace',
    'instant',
    ...flags,
  ];
  const [command, args] = canPin
    ? ['taskset', ['-c', '0', process.execPath, ...segue]]
    : [process.execPath, segue];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  for await (const line of readline.createInterface({ input: child.stdout })) {
    const [, url] = /^ready (\S+)$/.exec(line) ?? [];
    if (url !== undefined) return { url, stop };
  }
  throw new Error('the sandbox did not start');
}

/** Each connection sends its next request as soon as it has an answer. */
async function measure(
  name: string,
  { url }: Running,
  { path: address, method = 'GET', body }: { path: string; method?: Dispatcher.HttpMethod; body?: object },
): Promise<void> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const until = performance.now() + SECONDS * 1_000;
  let [answered, refused] = [0, 0];
  const askOn = async (): Promise<void> => {
    while (performance.now() < until) {
      const answer = await pool.request({
        path: address,
        method,
        body: body && JSON.stringify(body),
        headers,
      });
      await answer.body.dump();
      if (answer.statusCode < 300) answered += 1;
      else refused += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
  await pool.close();
  const rate = Math.round(answered / SECONDS).toString();
  console.log(`${name.padEnd(44)} ${rate.padStart(7)} requests/s${refused ? `, ${refused} refused` : ''}`);
}

async function submitted({ url }: Running): Promise<string> {
  const body = JSON.stringify({ image_url: `${url}/samples/shoe.png` });
  const response = await fetch(`${url}/api/v1/tools/remove-background`, { method: 'POST', headers, body });
  const { task_id } = (await response.json()) as { task_id: string };
  await fetch(`${url}/api/v1/tasks/${task_id}`, { headers });
  return task_id;
}

async function main(): Promise<void> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'segue-bench-'));
  console.log(
    `${CONNECTIONS} connections, ${SECONDS} s each, the sandbox on ${canPin ? 'one core' : 'any core'}`,
  );
  const places: [where: string, flags: string[]][] = [
    ['in memory', []],
    ['journal on disk', ['--db', path.join(scratch, 'sandbox.ndjson')]],
  ];
  for (const [where, flags] of places) {
    const sandbox = await start(...flags);
    try {
      const submit = {
        method: 'POST' as const,
        path: '/api/v1/tools/remove-background',
        body: { image_url: `${sandbox.url}/samples/shoe.png` },
      };
      await measure(`submit, ${where}`, sandbox, submit);
      await measure(`poll of a finished task, ${where}`, sandbox, {
        path: `/api/v1/tasks/${await submitted(sandbox)}`,
      });
      const patch = {
        method: 'PATCH' as const,
        path: '/api/v1/projects/document/17',
        body: { data: { a: { b: 1 } } },
      };
      await measure(`project update, ${where}`, sandbox, patch);
    } finally {
      await sandbox.stop();
    }
  }
  rmSync(scratch, { recursive: true });
}

void main();
