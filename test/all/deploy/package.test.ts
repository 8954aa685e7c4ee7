/** The package as `npm pack` makes it, installed by a project that uses it. */
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { shared } from '../../support/jest/shared';

const ROOT = path.resolve(__dirname, '../../..');
const run = promisify(execFile);

/** The environment without the settings of the npm that runs these tests. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

interface Packed {
  filename: string;
  files: { path: string }[];
}

test('it holds what runs and no tests; what it needs is installed with it, and its command and its client are there', async () => {
  const folder = await mkdtemp(path.join(shared().scratch, 'package-'));
  // Its scripts would build anew what other tests are using.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse((await run('npm', pack, { cwd: ROOT })).stdout) as [Packed];
  const folders = new Set(packed.files.map((file) => file.path.split('/', 1).join()));
  expect([...folders].sort()).toEqual(
    ['LICENSE', 'README.md', 'bin', 'dist', 'examples', 'package.json'].sort(),
  );
  expect(packed.files.map((file) => file.path).filter((file) => /\.test\.|tsbuildinfo/.test(file))).toEqual(
    [],
  );

  await writeFile(path.join(folder, 'package.json'), '{ "private": true }');
  const install = [
    'install',
    '--omit=dev',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  ];
  await run('npm', [...install, `./${path.basename(packed.filename)}`], { cwd: folder, env });
  const version = await run(path.join(folder, 'node_modules/.bin/segue'), ['--version']);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const use =
    "const { SegueClient, createSegueWorker, loadStarterConfig } = require('segue'); console.log(typeof SegueClient, typeof createSegueWorker, loadStarterConfig().taskQueue);";
  expect((await run(process.execPath, ['-e', use], { cwd: folder })).stdout).toBe(
    'function function segue\n',
  );
}, 300_000);
