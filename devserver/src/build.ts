/** Builds the Temporal CLI, which holds the dev server and its UI, from the Go module registry. */
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { goBuildEnvironment } from './environment';
import { runToEnd } from './process';

const TOOL_MODULE = path.join(__dirname, '..', 'server');
const TOOL_PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const SAY_EVERY_MS = 10_000;
/** Hundreds of modules are downloaded, and one that fails ends the build; what is there by then is not downloaded again. */
const MOST_BUILDS = 3;

export async function buildTemporalCli(target: string, say: (line: string) => void): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  // Built under another name: a build that dies half-way must not be found as a binary by the next start.
  const unfinished = `${target}.unfinished`;
  const args = ['build', '-v', '-trimpath', '-ldflags=-s -w', '-o', unfinished, TOOL_PACKAGE];
  let [modules, packages] = [0, 0];
  const onLine = (line: string): void => {
    if (line.startsWith('go: ')) modules += 1;
    else packages += 1;
  };
  const progress = setInterval(() => {
    say(`building the Temporal server: ${modules} modules downloaded, ${packages} packages compiled`);
  }, SAY_EVERY_MS);
  try {
    for (let builds = 1; ; builds++) {
      const options = { cwd: TOOL_MODULE, env: goBuildEnvironment(), onLine };
      const { code, tail } = await runToEnd('go', args, options).catch((error: unknown) => {
        throw (error as NodeJS.ErrnoException).code === 'ENOENT'
          ? new Error('there is no `go` on the PATH')
          : error;
      });
      if (code === 0) break;
      if (builds === MOST_BUILDS)
        throw new Error(
          `go ended with ${code ?? 'a signal'}:\n${tail.map((line) => `    ${line}`).join('\n')}`,
        );
    }
    await rename(unfinished, target);
  } finally {
    clearInterval(progress);
    await rm(unfinished, { force: true });
  }
}
