import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command } from 'commander';
import { MANIFEST, PACKAGE_ROOT } from '../platform/package';
import { print, UsageError } from './lib/io';

const STARTER = path.join(PACKAGE_ROOT, 'examples/starter');

const NEXT_STEPS = `Next:
  npm install
  cp .env.example .env
  npx segue dev     Temporal and the sandbox, until Ctrl-C
  npm start         the worker, in a second terminal
  npm test`;

export function addTo(program: Command): void {
  program
    .command('init [folder]')
    .description(
      'write a starter project: a worker with a workflow of its own, a campaign, a manifest, a test',
    )
    .action(async (folder: string | undefined) => {
      await writeStarter(folder ?? '.');
      print(NEXT_STEPS);
    });
}

async function writeStarter(folder: string): Promise<void> {
  const entries = await readdir(STARTER, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(STARTER, path.join(entry.parentPath, entry.name)));
  const taken = files.filter((file) => existsSync(path.join(folder, file)));
  if (taken.length > 0)
    throw new UsageError(`Nothing was written: ${folder} already has ${taken.join(', ')}`);
  await mkdir(folder, { recursive: true });
  await addToManifest(path.join(folder, 'package.json'));
  await cp(STARTER, folder, { recursive: true });
}

const SCRIPTS = {
  build: 'tsc',
  start: 'npm run build && node --env-file=.env dist/src/worker.js',
  test: 'npm run build && node --test dist/test/*.test.js',
};

interface Manifest {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** What the project has already is kept. */
async function addToManifest(file: string): Promise<void> {
  const given = (existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : { private: true }) as Manifest;
  // `npm init` makes a test script that fails.
  if (given.scripts?.test?.includes('no test specified')) delete given.scripts.test;
  const manifest = {
    ...given,
    scripts: { ...SCRIPTS, ...given.scripts },
    dependencies: {
      ...versionsOf(MANIFEST.dependencies, ['@temporalio/client', '@temporalio/worker']),
      ...given.dependencies,
    },
    devDependencies: {
      ...versionsOf(MANIFEST.devDependencies, ['@types/node', 'typescript']),
      ...given.devDependencies,
    },
  };
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

function versionsOf(all: Record<string, string>, names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}
