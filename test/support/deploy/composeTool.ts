/** The real compose tool, built from its Go module: `config` needs no docker daemon. */
import path from 'node:path';
import { goBuildEnvironment, runToEnd } from '@segue/devserver';
import { installOnce } from '../installOnce';

const TOOL_MODULE = path.resolve(__dirname, '../../full/deploy/composeTool');
const TOOL_PACKAGE = 'github.com/docker/compose/v5/cmd';
const TOOL = 'docker-compose';

/** The path of `docker-compose`; it is built once. */
export async function findComposeTool(): Promise<string> {
  const folder = await installOnce('compose', path.join(TOOL_MODULE, 'go.sum'), build);
  return path.join(folder, TOOL);
}

async function build(folder: string): Promise<void> {
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', path.join(folder, TOOL), TOOL_PACKAGE];
  const { code, tail } = await runToEnd('go', args, { cwd: TOOL_MODULE, env: goBuildEnvironment() });
  if (code !== 0) throw new Error(`go ended with ${code}:\n${tail.join('\n')}`);
}
