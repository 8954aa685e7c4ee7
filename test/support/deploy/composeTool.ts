/** The real compose tool, built from its Go module: `config` needs no docker daemon. */
import { createHash } from 'node:crypto';
import { access, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { goBuildEnvironment, loadLocalTemporalConfig } from '../../../src/config';
import { underLock } from '../../../src/temporal/lock';
import { runToEnd } from '../../../src/temporal/process';

const TOOL_MODULE = path.resolve(__dirname, '../../full/deploy/composeTool');
const TOOL_PACKAGE = 'github.com/docker/compose/v5/cmd';

/** The path of `docker-compose`; it is built once. */
export async function findComposeTool(): Promise<string> {
  const versions = createHash('sha256').update(await readFile(path.join(TOOL_MODULE, 'go.sum')));
  const { cacheFolder } = loadLocalTemporalConfig();
  const folder = path.join(cacheFolder, `compose-${versions.digest('hex').slice(0, 12)}`);
  const tool = path.join(folder, 'docker-compose');
  return underLock(
    folder,
    () => undefined,
    async () => {
      const isThere = await access(tool).then(
        () => true,
        () => false,
      );
      if (!isThere) await build(tool);
      return tool;
    },
  );
}

async function build(tool: string): Promise<void> {
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', `${tool}.unfinished`, TOOL_PACKAGE];
  const { code, tail } = await runToEnd('go', args, { cwd: TOOL_MODULE, env: goBuildEnvironment() });
  if (code !== 0) throw new Error(`go ended with ${code}:\n${tail.join('\n')}`);
  // Renamed last: a build that dies half-way leaves nothing that the next run takes for the tool.
  await rename(`${tool}.unfinished`, tool);
}
