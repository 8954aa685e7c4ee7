/** Commands that a person can copy. */
import { type MediaInput } from '../../contract';

/** The command that starts this job, with other words for what is not to be the same. */
export function startCommand(
  { tool, request, scope, write, notify }: MediaInput,
  { key, taskId }: { key: string; taskId?: string },
): string {
  const { organization, space } = scope ?? {};
  return [
    `segue media start ${word(tool)}`,
    ...requestFlags(request),
    ...flag('organization', organization),
    ...flag('space', space),
    ...flag('write', write && `${write.project.resourcetype}/${write.project.id}:${write.at}`),
    ...flag('notify', notify && `${notify.userId}@${notify.workspaceId}`),
    ...flag('task-id', taskId),
    ...flag('key', key),
  ].join(' ');
}

/** The command that waits for a job that runs. */
export function followCommand({ workflowId, key }: { workflowId: string; key: string }): string {
  return `segue ${workflowId.split('/', 1).join()} follow ${word(key)}`;
}

/** A picture may be in the request itself; nobody copies that from a terminal. */
const LONGEST_REQUEST = 500;

function requestFlags(request: Record<string, unknown>): string[] {
  const flags = Object.entries(request).flatMap(([field, value]) => {
    const name = field.replaceAll('_', '-');
    return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => flag(name, item));
  });
  return flags.join(' ').length > LONGEST_REQUEST ? ['--input REQUEST.json'] : flags;
}

function flag(name: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
  return [`--${name} ${word(typeof value === 'string' ? value : JSON.stringify(value))}`];
}

/** One word of a command, as a shell takes it. */
export function word(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
