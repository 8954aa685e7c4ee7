/**
 * How many requests a second the sandbox takes on one core, so that it is never the bottleneck of another benchmark:
 * `npm run bench:sandbox`. Pinned to a core where `taskset` is there; the load comes from the other ones.
 */
const { spawn, spawnSync } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');
const { Pool } = require('undici');

const SECONDS = Number(process.argv[2] ?? 5);
const CONNECTIONS = 50;
const headers = { authorization: 'Api-Key sandbox-key', 'content-type': 'application/json' };
const canPin = spawnSync('taskset', ['--version']).status === 0;

async function start(...flags) {
  const segue = [
    path.join(__dirname, '..', 'bin', 'segue'),
    'sandbox',
    '--port',
    '0',
    '--pace',
    'instant',
    ...flags,
  ];
  const [command, ...args] = canPin
    ? ['taskset', '-c', '0', process.execPath, ...segue]
    : [process.execPath, ...segue];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of readline.createInterface({ input: child.stdout })) {
    const [, url] = /^ready (\S+)$/.exec(line) ?? [];
    if (url) return { url, stop: () => new Promise((done) => child.once('exit', done).kill('SIGTERM')) };
  }
  throw new Error('the sandbox did not start');
}

/** Each connection asks again as soon as it is answered. */
async function measure(name, { url }, { path: address, method = 'GET', body }) {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const until = performance.now() + SECONDS * 1_000;
  let [answered, refused] = [0, 0];
  const askOn = async () => {
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

async function submitted({ url }) {
  const body = JSON.stringify({ image_url: `${url}/samples/shoe.png` });
  const response = await fetch(`${url}/api/v1/tools/remove-background`, { method: 'POST', headers, body });
  const { task_id } = await response.json();
  await fetch(`${url}/api/v1/tasks/${task_id}`, { headers });
  return task_id;
}

async function main() {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'segue-bench-'));
  console.log(
    `${CONNECTIONS} connections, ${SECONDS} s each, the sandbox on ${canPin ? 'one core' : 'any core'}`,
  );
  for (const [where, flags] of [
    ['in memory', []],
    ['journal on disk', ['--db', path.join(scratch, 'sandbox.ndjson')]],
  ]) {
    const sandbox = await start(...flags);
    try {
      const submit = {
        method: 'POST',
        path: '/api/v1/tools/remove-background',
        body: { image_url: `${sandbox.url}/samples/shoe.png` },
      };
      await measure(`submit, ${where}`, sandbox, submit);
      await measure(`poll of a finished task, ${where}`, sandbox, {
        path: `/api/v1/tasks/${await submitted(sandbox)}`,
      });
      const patch = {
        method: 'PATCH',
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

main();
