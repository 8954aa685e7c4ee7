import {
  type DevServer,
  FAIRNESS_SETTING,
  findTemporalBinary,
  isPortFree,
  NoTemporalError,
  startDevServer,
} from '@segue/devserver';
import { type LocalTemporalConfig } from '../../config';
import { allSearchAttributes } from '../../contract/searchAttributes';
import { say, UnreachableError } from '../lib/io';

/** The path of the server; it is downloaded, or else built, where the cache has none. */
export async function obtainTemporal(config: LocalTemporalConfig): Promise<string> {
  const binary = await findTemporalBinary(config, say).catch((error: unknown) => {
    throw error instanceof NoTemporalError ? new UnreachableError(error.message) : error;
  });
  return binary.path;
}

export async function startTemporal(
  config: LocalTemporalConfig,
  { port, uiPort, db }: { port: number; uiPort: number; db?: string },
): Promise<DevServer> {
  return startDevServer(await obtainTemporal(config), {
    ...{ port, uiPort, db },
    dynamicConfig: { [FAIRNESS_SETTING]: true },
    searchAttributes: allSearchAttributes,
  });
}

export async function requireFreePorts(ports: Record<string, number>): Promise<void> {
  const taken: string[] = [];
  for (const [flag, port] of Object.entries(ports)) {
    if (port !== 0 && !(await isPortFree(port)))
      taken.push(`port ${port} is taken; choose another with ${flag}`);
  }
  if (taken.length > 0) throw new UnreachableError(taken.join('\n'));
}
