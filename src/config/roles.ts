import { type Settings } from './settings';

/** What a worker process can do, so that each can be scaled alone: only `submit` and `batch` send POSTs that cost. */
export const WORKER_ROLES = ['workflows', 'submit', 'batch'] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

export function problemsOfRoles(name: string, roles: readonly string[]): string[] {
  const unknown = roles.filter((role) => !WORKER_ROLES.some((known) => known === role));
  const choices = WORKER_ROLES.join(', ');
  if (roles.length === 0) return [`${name}: names no role; the roles are ${choices}`];
  return unknown.length > 0
    ? [`${name}: no role is called "${unknown.join('", "')}"; the roles are ${choices}`]
    : [];
}

/** Undefined where all are meant. */
export function readRoles(settings: Settings): WorkerRole[] | undefined {
  const name = 'SEGUE_WORKER_ROLES';
  const roles = settings.text(name)?.split(',');
  if (!roles) return undefined;
  const named = roles.map((role) => role.trim());
  for (const problem of problemsOfRoles(`${name} (--roles)`, named)) settings.problem(problem);
  return named as WorkerRole[];
}
