/** Builds the Temporal CLI, which holds the dev server and its UI, from the Go module registry. */
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { goBuildEnvironment } from './environment';
import { runToEnd } from './process';

const TOOL_MODULE = path.join(__dirname, '..', 'server');
const TOOL_PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const SAY_EVERY_MS = 10_000;
/** One failed download of hundreds ends the build. The next build downloads only the missing modules. */
const MOST_BUILDS = 3;

export async function buildTemporalCli(target: string, say: (line: string) => void): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  // Built under another name, so that the next start does not use an unfinished binary.
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
