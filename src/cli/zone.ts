import { type Api, type CallOptions } from '../api/client';
import { type WorkspaceContext } from '../api/operations/workspace';

export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The zone that a workspace's times are shown in; UTC where it tells none, or one that nobody knows. */
export function zoneOf(context: WorkspaceContext): string {
  const zone = context.workspace?.settings?.timezone;
  return zone && isZone(zone) ? zone : 'UTC';
}

/** Asks for the workspace's zone; a read-out must not fail because that cannot be had. */
export async function workspaceZone(api: Api, options: () => CallOptions): Promise<string> {
  try {
    return zoneOf(await api.getWorkspace({}, options()));
  } catch {
    return 'UTC';
  }
}
