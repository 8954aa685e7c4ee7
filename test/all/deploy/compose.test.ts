/** The README's docker line, run without docker: the Dockerfile's steps in folders, the compose file's services as processes. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { loadWorkerConfig } from '../../../src/config';
import { composeFile, Stack } from '../../support/deploy/compose';
import { buildStages, type Stage } from '../../support/deploy/dockerfile';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { segue } from '../../support/servers/segueCommand';
import { SANDBOX_PLACES } from '../../support/service/records';
import { readLedger } from '../../support/service/sandbox';

const CONTEXT = path.resolve(__dirname, '../../..');

/** What `npm ci` and a build may take on a busy machine with an empty npm cache. */
const BUILD_MS = 900_000;

let folder: string;
let targets: ReadonlyMap<string, Stage>;
const stacks: Stack[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(shared().scratch, 'deploy-'));
  targets = await buildStages(CONTEXT, folder);
}, BUILD_MS);

afterEach(async () => {
  await Promise.all(stacks.splice(0).map((stack) => stack.down()));
});

async function readCompose() {
  return composeFile.parse(parse(await readFile(path.join(CONTEXT, 'docker-compose.yml'), 'utf8')));
}

async function up(): Promise<Stack> {
  const stack = new Stack(await readCompose(), targets, shared().temporalBinary, folder);
  stacks.push(stack);
  await stack.up();
  return stack;
}

async function runJob(stack: Stack, image: string): Promise<Record<string, unknown>> {
  const command = ['media', 'run', 'remove-background', '--image-url', image, '--key', 'shoe', '--json'];
  const settings = {
    TEMPORAL_ADDRESS: stack.address('7233'),
    SEGUE_POLL_MIN: '50ms',
    SEGUE_POLL_MAX: '50ms',
  };
  const { stdout } = await stack.whileUp(segue(command, settings));
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('P1 P2: `docker compose --profile dev up` runs a job, and the next `up` still knows it', async () => {
  const first = await up();
  for (const published of ['8233', '4010']) {
    const page = `http://${first.address(published)}/`;
    await eventually(`the page at ${published}`, async () => (await fetch(page)).status === 200);
  }
  const image = `http://${first.address('4010')}/samples/shoe.png`;
  expect(await runJob(first, image)).toMatchObject({ status: 'succeeded', existing: false, error: null });
  expect(await first.down()).toEqual({ temporal: 0, setup: 0, sandbox: 0, worker: 0 });

  const second = await up();
  expect(await runJob(second, image)).toMatchObject({ status: 'succeeded', existing: true, error: null });
  const { summary } = await readLedger(`http://${second.address('4010')}`);
  expect(summary).toMatchObject({ submissions: 1, duplicates: 0 });
}, 300_000);

test('the worker image has no sandbox, source or development package; the sandbox image adds only the sandbox and its packages', async () => {
  const built = ['bin', 'dist', 'node_modules', 'package.json'];
  const contents = async (target: string, folder = '') =>
    (await readdir(path.join(targets.get(target)?.root ?? '', 'segue', folder))).sort();
  expect(await contents('worker')).toEqual(built);
  expect(await contents('sandbox')).toEqual([...built, 'sandbox'].sort());
  expect(await contents('sandbox', 'sandbox')).toEqual(['dist', 'package.json', 'seed.json']);
  const packages = ['fastify', 'sharp', 'typescript', 'zod-openapi', 'zod'];
  const installed = async (target: string) =>
    (await contents(target, 'node_modules')).filter((name) => packages.includes(name));
  expect(await installed('worker')).toEqual(['zod']);
  expect(await installed('sandbox')).toEqual(['fastify', 'sharp', 'zod', 'zod-openapi']);
});

// Other containers reach it, and it may write to its volume: as processes on one machine both would work anyway.
test('the sandbox listens beyond its container, and owns its folder', async () => {
  const dockerfile = await readFile(path.join(CONTEXT, 'Dockerfile'), 'utf8');
  expect(dockerfile).toContain('"--host", "0.0.0.0"');
  expect(dockerfile).toContain('mkdir /data && chown node:node /data');
});

test('the worker accepts its settings as the compose file has them', async () => {
  const { worker } = (await readCompose()).services;
  expect(loadWorkerConfig(worker?.environment)).toMatchObject({
    api: { url: 'http://sandbox:4010', layout: SANDBOX_PLACES },
    temporal: { address: 'temporal:7233' },
  });
});
