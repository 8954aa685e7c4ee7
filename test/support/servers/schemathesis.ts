/** Schemathesis, a tester that generates requests from an OpenAPI document, in its own Python environment. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { runToEnd } from '@segue/devserver';
import { installOnce } from '../installOnce';

const REQUIREMENTS = path.resolve(__dirname, '../../full/sandbox/schemathesis/requirements.txt');
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
const IS_RECENT = 'import sys; sys.exit(sys.version_info < (3, 11))';

/** The path of the command; it is installed once. */
export async function findSchemathesis(): Promise<string> {
  const folder = await installOnce('schemathesis', REQUIREMENTS, install);
  return path.join(folder, 'venv', 'bin', 'schemathesis');
}

async function install(folder: string): Promise<void> {
  const python = await findPython();
  if (python === undefined) throw new Error('there is no Python 3.11 or newer on the PATH');
  const venv = path.join(folder, 'venv');
  await rm(venv, { recursive: true, force: true });
  const steps: [string, string[]][] = [
    [python, ['-m', 'venv', venv]],
    // The file lists every package, so pip has nothing to resolve.
    [
      path.join(venv, 'bin', 'pip'),
      ['install', '--no-deps', '--no-input', '--retries', '1', '-r', REQUIREMENTS],
    ],
  ];
  for (const [command, args] of steps) {
    const { code, tail } = await runToEnd(command, args);
    if (code !== 0) throw new Error(`Schemathesis cannot be installed: ${tail.join('\n')}`);
  }
}

async function findPython(): Promise<string | undefined> {
  for (const python of PYTHONS) {
    const { code } = await runToEnd(python, ['-c', IS_RECENT]).catch(() => ({ code: null }));
    if (code === 0) return python;
  }
  return undefined;
}
