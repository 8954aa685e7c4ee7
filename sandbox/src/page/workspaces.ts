import { type State } from '../state';

export function workspaceName(id: number, { workspaces }: State): string {
  const name = workspaces.get(id)?.name;
  return name === undefined ? String(id) : `${name} (${id})`;
}
