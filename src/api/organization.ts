import { type Api, type CallOptions } from './client';
import { NotConfiguredError } from './errors';
import { type Scope } from './scope';

/** The id of the workspace that a call with this scope is about. */
export type OrganizationOf = (scope: Scope | undefined, options: CallOptions) => Promise<string>;

/**
 * Scope, then setting, then what the service says of the credential. The service is asked once: a credential does
 * not change its workspace.
 */
export function organizationResolver(api: Pick<Api, 'getWorkspace'>, configured?: string): OrganizationOf {
  let told: string | undefined;
  return async (scope, options) =>
    scope?.organization ?? configured ?? (told ??= await askOrganization(api, options));
}

async function askOrganization(api: Pick<Api, 'getWorkspace'>, options: CallOptions): Promise<string> {
  const { workspace } = await api.getWorkspace({}, { ...options, scope: undefined });
  if (typeof workspace?.id === 'number') return String(workspace.id);
  const problem = 'the service does not tell which workspace the credential belongs to';
  throw new NotConfiguredError(
    { problem, setting: 'SEGUE_ORGANIZATION' },
    { operation: 'get workspace', requestId: options.requestId },
  );
}
