/** Builds the Temporal CLI, which holds the dev server and its UI, from the Go module registry. */
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { goBuildEnvironment } from '../config';
import { PACKAGE_ROOT } from '../platform/package';
import { type Finished, runToEnd } from './process';

const TOOL_MODULE = path.join(PACKAGE_ROOT, 'src', 'temporal', 'server');
const TOOL_PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const SAY_EVERY_MS = 10_000;

export async function buildTemporalCli(target: string, say: (line: string) => void): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  // Built under another name: a build that dies half-way must not be found as a binary by the next start.
  const unfinished = `${target}.unfinished`;
  try {
    const packages = await countPackages(say);
    let built = 0;
    const progress = everyFewSeconds(
      say,
      () => `building the Temporal server: ${built} of about ${packages} packages`,
    );
    const result = await go(
      ['build', '-v', '-trimpath', '-ldflags=-s -w', '-o', unfinished, TOOL_PACKAGE],
      (line) => {
        if (!line.startsWith('go: ')) built += 1;
      },
    ).finally(progress.stop);
    if (result.code !== 0) throw new Error(explainFailure(result));
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Hundreds are downloaded, and one that fails fails all of them; what is there by then is not downloaded again. */
const MOST_DOWNLOADS = 3;

/** Downloads the modules that the build needs, and counts what there is to compile. */
async function countPackages(say: (line: string) => void): Promise<number> {
  let modules = 0;
  const progress = everyFewSeconds(say, () => `getting the Temporal server's sources: ${modules} modules`);
  try {
    for (let tries = 1; ; tries++) {
      let packages = 0;
      const result = await go(['list', '-deps', TOOL_PACKAGE], (line) => {
        if (line.startsWith('go: downloading')) modules += 1;
        else packages += 1;
      });
      if (result.code === 0) return packages;
      if (tries === MOST_DOWNLOADS) throw new Error(explainFailure(result));
    }
  } finally {
    progress.stop();
  }
}

async function go(args: string[], onLine: (line: string) => void): Promise<Finished> {
  try {
    return await runToEnd('go', args, { cwd: TOOL_MODULE, env: goBuildEnvironment(), onLine });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('there is no `go` on the PATH');
  }
}

function explainFailure({ code, tail }: Finished): string {
  return `go ended with ${code ?? 'a signal'}:\n${tail.map((line) => `    ${line}`).join('\n')}`;
}

function everyFewSeconds(say: (line: string) => void, line: () => string): { stop: () => void } {
  const timer = setInterval(() => {
    say(line());
  }, SAY_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
}
