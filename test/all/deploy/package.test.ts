/** The packages as `npm pack` makes them, installed by projects that use them. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { shared } from '../../support/jest/shared';

const ROOT = path.resolve(__dirname, '../../..');
const run = promisify(execFile);

/** The environment without the settings of the npm that runs these tests. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

interface Packed {
  name: string;
  filename: string;
  files: { path: string }[];
}

let folder: string;
let packed: Packed[];

/** The names that the package's own package.json gives. */
const nameOf = (index: number): string => packed[index]?.name ?? '';
const fileOf = (index: number): string => path.join(folder, packed[index]?.filename ?? '');

beforeAll(async () => {
  folder = await mkdtemp(path.join(shared().scratch, 'package-'));
  // Its scripts would build anew what other tests are using.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', [...pack, '.', './sandbox', './devserver'], { cwd: ROOT });
  packed = JSON.parse(stdout) as Packed[];
});

async function newProject(name: string): Promise<string> {
  const project = path.join(folder, name);
  await mkdir(project);
  await writeFile(path.join(project, 'package.json'), '{ "private": true }');
  return project;
}

function install(project: string, ...files: string[]): Promise<unknown> {
  const quick = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  return run('npm', ['install', ...quick, ...files], { cwd: project, env });
}

async function runCode(project: string, code: string, module = 'commonjs', more = {}): Promise<string> {
  const { stdout } = await run(process.execPath, [`--input-type=${module}`, '-e', code], {
    cwd: project,
    env: { ...env, ...more },
  });
  return stdout;
}

const PARTS = ['', '/worker', '/plugin', '/workflows', '/activities', '/nexus', '/api', '/testing'];

test('they hold what runs and no tests, and install without a build', () => {
  const foldersOf = ({ files }: Packed) => [...new Set(files.map((file) => file.path.split('/', 1).join()))];
  expect(packed.map((one) => foldersOf(one).sort())).toEqual([
    ['LICENSE', 'README.md', 'bin', 'dist', 'examples', 'package.json', 'schemas'].sort(),
    ['LICENSE', 'README.md', 'dist', 'package.json', 'seed.json'],
    ['LICENSE', 'README.md', 'dist', 'package.json', 'server'],
  ]);
  const paths = packed.flatMap(({ files }) => files.map((file) => file.path));
  expect(paths.filter((file) => /\.test\.|tsbuildinfo/.test(file))).toEqual([
    'examples/starter/test/product.test.ts',
  ]);
});

describe('the package of the worker and the client, alone', () => {
  let project: string;
  beforeAll(async () => {
    project = await newProject('production');
    await install(project, '--omit=dev', fileOf(0));
  }, 300_000);

  test('has the command', async () => {
    const version = await run(path.join(project, 'node_modules/.bin/segue'), ['--version']);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each(['commonjs', 'module'])('is used by %s code, each part by its name', async (module) => {
    const names = PARTS.map((part) => JSON.stringify(nameOf(0) + part));
    const loads = names.map((name) => (module === 'module' ? `await import(${name})` : `require(${name})`));
    const use = `
      const [client, worker, plugin, workflows, activities, nexus, api, testing] = [${loads.join()}];
      const { Segue, JobFailed, loadStarterConfig } = client;
      const given = [Segue.connect, JobFailed, worker.createSegueWorker, plugin.SeguePlugin, workflows.media, workflows.runMedia];
      given.push(activities.createActivities, api.createApi, testing.startTestEnvironment);
      console.log(given.map((one) => typeof one).join(), nexus.segueService.name, loadStarterConfig().taskQueue);`;
    const functions = Array<string>(9).fill('function').join();
    expect(await runCode(project, use, module)).toBe(`${functions} segue segue\n`);
  });

  test('gives names to static imports, too', async () => {
    const use = `
      import { InvalidInput, JobHeld, Segue } from '${nameOf(0)}';
      console.log(typeof InvalidInput, typeof JobHeld, typeof Segue);`;
    expect(await runCode(project, use, 'module')).toBe('function function function\n');
  });

  test('says what to add for tests', async () => {
    const use = `require('${nameOf(0)}/testing').startTestEnvironment().catch((error) => console.log(error.message));`;
    expect(await runCode(project, use)).toContain(`the packed files of ${nameOf(1)} and ${nameOf(2)}`);
  });

  test('has types', async () => {
    const use = `
      import { JobFailed, Segue } from '${nameOf(0)}';
      import { createActivities } from '${nameOf(0)}/activities';
      import { createApi } from '${nameOf(0)}/api';
      import { startTestEnvironment } from '${nameOf(0)}/testing';
      import { segueService } from '${nameOf(0)}/nexus';
      import { SeguePlugin } from '${nameOf(0)}/plugin';
      import { createSegueWorker } from '${nameOf(0)}/worker';
      import { media, runMedia } from '${nameOf(0)}/workflows';
      export const parts = [createActivities, createApi, startTestEnvironment, createSegueWorker, media, runMedia];
      export const more = [segueService, SeguePlugin];
      export async function use(segue: Segue): Promise<string> {
        const job = await segue.media.start({ tool: 'remove-background', request: {} });
        for await (const { polls } of job.progress()) polls.toFixed();
        const { taskId } = await segue.media.run({ tool: 'remove-background', request: {} });
        return taskId.trim();
      }
      export const taskOf = (error: JobFailed): string | null => error.taskId;
      // @ts-expect-error a task has no such member
      export const wrong = (error: JobFailed): number => error.taskId;`;
    const compilerOptions = {
      ...{ module: 'node20', target: 'es2023', strict: true, noEmit: true, skipLibCheck: true },
      ...{ types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')] },
    };
    await writeFile(
      path.join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['use.*'] }),
    );
    for (const file of ['use.cts', 'use.mts']) await writeFile(path.join(project, file), use);
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', '.'], { cwd: project }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe('');
  });
});

test('publint and arethetypeswrong find nothing wrong in the packed package', async () => {
  // Both are ES modules, which jest does not load.
  const check = `
    import { readFile } from 'node:fs/promises';
    import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
    import { publint } from 'publint';
    const tarball = await readFile(${JSON.stringify(fileOf(0))});
    const { messages } = await publint({ pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length) } });
    const { problems } = await checkPackage(createPackageFromTarballData(tarball));
    // The oldest way to resolve, that of Node 10, ignores the exports of a package.
    const wrong = problems.filter(({ resolutionKind }) => resolutionKind !== 'node10');
    console.log(JSON.stringify([...messages, ...wrong]));`;
  expect(JSON.parse(await runCode(ROOT, check, 'module'))).toEqual([]);
});

test('with the packages of development, a test runs a job against the sandbox', async () => {
  const project = await newProject('development');
  await install(project, fileOf(0), fileOf(1), fileOf(2));
  const use = `
    import { startTestEnvironment } from '${nameOf(0)}/testing';
    const { segue, sandboxUrl, stop } = await startTestEnvironment();
    const request = { image_url: sandboxUrl + '/samples/shoe.png' };
    const { status, taskId } = await segue.media.run({ key: 'first', tool: 'remove-background', request });
    await stop();
    console.log(status, typeof taskId);`;
  const more = { SEGUE_TEMPORAL_CLI: shared().temporalBinary };
  expect(await runCode(project, use, 'module', more)).toMatch(/succeeded string\n$/);
}, 300_000);

test('`segue init` makes a project whose own test passes, and overwrites nothing', async () => {
  const project = await newProject('starter');
  await install(project, fileOf(0), fileOf(1), fileOf(2));
  const init = (): Promise<{ stdout: string }> =>
    run(path.join(project, 'node_modules/.bin/segue'), ['init'], { cwd: project });
  const file = path.join(project, 'package.json');
  const given = await readFile(file, 'utf8');
  await writeFile(file, JSON.stringify({ ...(JSON.parse(given) as object), type: 'module' }));
  await expect(init()).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"type": "module"'),
  });
  await writeFile(file, given);
  expect((await init()).stdout).toContain('npm test');
  await install(project);
  const settings = { SEGUE_TEMPORAL_CLI: shared().temporalBinary };
  const tested = await run('npm', ['test'], { cwd: project, env: { ...env, ...settings } });
  expect(tested.stdout).toMatch(/pass 1\b/);
  await expect(init()).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Nothing was written: there is already'),
  });
}, 300_000);
