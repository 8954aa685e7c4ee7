import { existsSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Command } from 'commander';
import { PACKAGE_JSON, PACKAGE_ROOT } from '../platform/package';
import { print, UsageError } from './lib/io';

const STARTER = path.join(PACKAGE_ROOT, 'examples/starter');

const NEXT_STEPS = `Next:
  npm install
  cp .env.example .env
  npx --no segue dev   Temporal, the sandbox and a worker of Segue alone, until Ctrl-C
  npm start            the worker of this project, in a second terminal
  npm test`;

export function addTo(program: Command): void {
  program
    .command('init')
    .description('write a starter project into this folder: worker, workflow, campaign, manifest and test')
    .action(async () => {
      await writeStarter();
      print(NEXT_STEPS);
    });
}

async function writeStarter(): Promise<void> {
  const { name } = PACKAGE_JSON;
  if (!isInstalled(name)) throw new UsageError(`Nothing was written: install ${name} in this folder first`);
  const entries = await readdir(STARTER, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(STARTER, path.join(entry.parentPath, entry.name)));
  const existing = files.filter((file) => existsSync(file));
  if (existing.length > 0)
    throw new UsageError(`Nothing was written: there is already ${existing.join(', ')}`);
  await addToPackageJson();
  await cp(STARTER, '.', { recursive: true });
}

/** In this folder, or in one above it, as in an npm workspace. */
function isInstalled(name: string): boolean {
  try {
    return createRequire(path.resolve('package.json')).resolve(name) !== '';
  } catch {
    return false;
  }
}

const SCRIPTS = {
  build: 'tsc',
  start: 'npm run build && node --env-file=.env dist/src/worker.js',
  test: 'npm run build && node --test dist/test/*.test.js',
};

interface PackageJson {
  type?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Keeps what the project has already. */
async function addToPackageJson(): Promise<void> {
  const file = 'package.json';
  const given = (
    existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : { private: true }
  ) as PackageJson;
  if (given.type === 'module')
    throw new UsageError('Nothing was written: the starter is CommonJS; package.json has "type": "module"');
  // `npm init` makes a test script that fails.
  if (given.scripts?.test?.includes('no test specified')) delete given.scripts.test;
  const merged = {
    ...given,
    scripts: { ...SCRIPTS, ...given.scripts },
    dependencies: {
      ...versionsOf(PACKAGE_JSON.dependencies, ['@temporalio/client', '@temporalio/worker']),
      ...given.dependencies,
    },
    devDependencies: {
      ...versionsOf(PACKAGE_JSON.devDependencies, ['@types/node', 'typescript']),
      ...given.devDependencies,
    },
  };
  await writeFile(file, `${JSON.stringify(merged, null, 2)}\n`);
}

function versionsOf(all: Record<string, string>, names: string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}
