import { type Api, type CallOptions } from '../../api/client';
import { type WorkspaceContext } from '../../api/operations/workspace';
import { isZone } from '../../calendar/zones';
import { say } from '../lib/print';

/** The zone that a workspace's times are shown in; UTC where it tells none, or one that nobody knows. */
export function zoneOf(context: WorkspaceContext): string {
  const zone = context.workspace?.settings?.timezone;
  return zone && isZone(zone) ? zone : 'UTC';
}

/** Asks for the workspace's zone; a read-out must not fail because that cannot be had, but it says so. */
export async function workspaceZone(api: Api, options: () => CallOptions): Promise<string> {
  try {
    return zoneOf(await api.getWorkspace({}, options()));
  } catch (error) {
    say(
      `times are in UTC, not in the workspace's zone: ${error instanceof Error ? error.message : String(error)}`,
    );
    return 'UTC';
  }
}
