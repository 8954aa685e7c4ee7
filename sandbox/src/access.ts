/** The caller, its workspace and its space: derived from the credential and the Organization and Space headers. */
import { type IncomingHttpHeaders } from 'node:http';
import { SANDBOX_KEY, SANDBOX_KEY_NO_NOTIFY } from './keys';
import { type Decision, notFound, refusal } from './operation';
import { type State } from './state';

export interface Caller {
  user: number | undefined;
  workspace: number;
  /** Undefined: the whole workspace. */
  space: number | undefined;
  mayNotify: boolean;
}

interface Key {
  user: number | undefined;
  workspaces: number[];
  notify: boolean;
}

export function identify(headers: IncomingHttpHeaders, state: State): Caller | Decision {
  const key = findKey(headers.authorization, state);
  if (!key) return refusal(401, 'missing or invalid credential');

  const organization = header(headers.organization);
  const workspace =
    organization === undefined
      ? key.workspaces[0]
      : key.workspaces.find((id) => id === state.workspaceOf(organization.trim()));
  if (workspace === undefined) return notFound(`workspace ${organization ?? ''}`.trimEnd());

  const asked = header(headers.space);
  const spaces = state.workspaces.get(workspace)?.teamspaces ?? [];
  const space = spaces.find(({ id, is_active }) => is_active && String(id) === asked?.trim())?.id;
  if (asked !== undefined && space === undefined) return notFound(`space ${asked}`);
  return { user: key.user, workspace, space, mayNotify: key.notify };
}

/** Whether the caller may see data of this workspace and space; null means everybody. */
export function isVisible(item: { workspace: number | null; space?: number }, caller: Caller): boolean {
  if (item.workspace === null) return true;
  if (item.workspace !== caller.workspace) return false;
  return item.space === undefined || caller.space === undefined || item.space === caller.space;
}

function findKey(authorization: string | undefined, state: State): Key | undefined {
  const [, secret] = /^(?:Api-Key|Bearer) +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (secret === undefined) return undefined;
  if (secret === SANDBOX_KEY || secret === SANDBOX_KEY_NO_NOTIFY) {
    const [user] = state.users.keys();
    return { user, workspaces: [...state.workspaces.keys()], notify: secret === SANDBOX_KEY };
  }
  return state.keys.get(secret);
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
