/** Projects of the sandbox, and workflows that write to them. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { writeWorkflowBundle } from '../../../src/temporal/bundle';
import { type ProjectChange, type ProjectRef } from '../../../src/contract';
import { SANDBOX_KEY } from '../../../sandbox/src/server';
import { shardOf } from '../../../src/contract/ids';
import { shared } from '../jest/shared';
import { seed } from '../service/records';
import { ask } from '../service/sandbox';

/** The workspace that the sandbox's key belongs to. */
export const WORKSPACE = '1';

/** Without ETags, a write waits this long until a failed PATCH can no longer arrive. */
export const WRITE_TIMEOUT_MS = 2_000;

export const KEPT = { owner: 'Sam', brief: { tone: 'fresh', list: [1, null] } };

/** The workflows with one more, `writing`, that asks for changes; its runs share the code, as those of a worker do. */
export async function bundleWithWriting(): Promise<string> {
  const target = path.join(shared().scratch, `writing-${randomUUID()}.js`);
  await writeWorkflowBundle(target, require.resolve('./writing.workflow'));
  return target;
}

/** A new project that already has other data. */
export async function seedProject(
  sandboxUrl: string,
  data: unknown = KEPT,
  project: ProjectRef = { resourcetype: 'campaign', id: randomUUID() },
): Promise<ProjectRef> {
  const projects = [{ ...project, workspace: Number(WORKSPACE), title: 'Spring', data }];
  await seed(sandboxUrl, { projects });
  return project;
}

/** Another project in the same shard. */
export function neighbourOf(project: ProjectRef): ProjectRef {
  for (;;) {
    const neighbour = { resourcetype: 'campaign', id: randomUUID() };
    if (shardOf(neighbour) === shardOf(project)) return neighbour;
  }
}

export function pathOf({ resourcetype, id }: ProjectRef): string {
  return `/api/v1/projects/${resourcetype}/${id}`;
}

export async function removeFaults(sandboxUrl: string): Promise<void> {
  await fetch(`${sandboxUrl}/_sandbox/faults`, { method: 'DELETE' });
}

export interface SeenProject {
  title: string;
  data: Record<string, unknown>;
}

export async function readProject(sandboxUrl: string, project: ProjectRef): Promise<SeenProject> {
  const headers = { authorization: `Api-Key ${SANDBOX_KEY}` };
  const response = await fetch(`${sandboxUrl}${pathOf(project)}`, { headers });
  return (await response.json()) as SeenProject;
}

/** A client outside Segue: reads, changes and writes with If-Match, and reads again after a 412. */
export async function changeAsPeopleDo(sandboxUrl: string, project: ProjectRef, name: string): Promise<void> {
  const path = `/projects/${project.resourcetype}/${project.id}`;
  for (;;) {
    const { json, headers } = await ask(sandboxUrl, `GET ${path}`);
    const data = { ...(json.data as object), [name]: true };
    const match = { 'If-Match': headers.get('etag') ?? '' };
    const { status } = await ask(sandboxUrl, `PATCH ${path}`, { body: { data }, headers: match });
    if (status === 200) return;
    expect(status).toBe(412);
  }
}

/** A change that sets one value. */
export const set = (name: string, value: unknown): ProjectChange => ({
  steps: [{ at: `/${name}`, set: value }],
});

/** `n` names, each with a change. */
export function manyChanges(prefix: string, n: number): Record<string, ProjectChange> {
  return Object.fromEntries(
    Array.from({ length: n }, (_, i) => [`${prefix}${i}`, { steps: [{ at: `/${prefix}/${i}`, set: i }] }]),
  );
}

/** The data of the project after these changes. */
export function madeOf(prefix: string, n: number): Record<string, Record<string, number>> {
  return { [prefix]: Object.fromEntries(Array.from({ length: n }, (_, i) => [String(i), i])) };
}
