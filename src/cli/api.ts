/** For commands that ask the service themselves. */
import { randomUUID } from 'node:crypto';
import { type Command } from 'commander';
import { type Api, type CallOptions } from '../api/client';
import { apiSettings, loadApiConfig } from '../config';
import { LONGEST_CALL_MS } from '../contract';
import { env } from './io';

export interface ScopeFlags {
  organization?: string;
  space?: string;
}

export function addScopeFlags(command: Command): Command {
  return command
    .option('--organization <id>', 'workspace, instead of the configured one')
    .option('--space <id>', 'sub-space, instead of the configured one');
}

/** Runs `work` with the configured service; every call of it has the same scope and a request id of its own. */
export async function withApi<T>(
  { organization, space }: ScopeFlags,
  work: (api: Api, options: () => CallOptions) => Promise<T>,
): Promise<T> {
  const config = loadApiConfig(env());
  const { createApi } = await import('../api/client.js');
  const api = createApi(apiSettings(config));
  const session = `cli-${randomUUID()}`;
  let calls = 0;
  const options = (): CallOptions => ({
    requestId: `${session}.${++calls}`,
    timeoutMs: LONGEST_CALL_MS,
    scope: { organization, space },
  });
  try {
    return await work(api, options);
  } finally {
    await api.close();
  }
}
