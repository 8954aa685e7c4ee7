/** The work of every row: each item has a media job, a project to write to and a user to notify. */
import { randomUUID } from 'node:crypto';
import { SANDBOX_KEY } from '@segue/sandbox';
import { inParallel } from '../src/platform/parallel';
import { type Shape, SHAPES, WORKSPACE } from './settings';
import { control } from './stage';

const SEEDED_AT_ONCE = 1_000;
const READ_AT_ONCE = 20;

export interface Project {
  resourcetype: string;
  id: string;
}

export interface WorkItem {
  key: string;
  request: { image_url: string };
  project: Project;
  /** The field of the project's data that gets the result. */
  field: string;
  notice: { userId: string; workspaceId: string };
}

export interface Work {
  name: string;
  items: WorkItem[];
  projects: Project[];
}

/** Makes the items, and creates their projects at the service. */
export async function prepareWork(items: number, shape: Shape, sandboxUrl: string): Promise<Work> {
  const name = `bench-${randomUUID()}`;
  const itemsOfProject = Math.min(SHAPES[shape].itemsOfProject, items);
  const projects = Array.from({ length: Math.ceil(items / itemsOfProject) }, (_unused, n) => ({
    resourcetype: 'campaign',
    id: `${name}-${n}`,
  }));
  for (let from = 0; from < projects.length; from += SEEDED_AT_ONCE)
    await control(sandboxUrl, 'seed', {
      projects: projects
        .slice(from, from + SEEDED_AT_ONCE)
        .map((project) => ({ ...project, workspace: Number(WORKSPACE), data: {} })),
    });
  const workItems = projects.flatMap((project, p) =>
    Array.from({ length: Math.min(itemsOfProject, items - p * itemsOfProject) }, (_unused, i) => ({
      key: `${name}-${p * itemsOfProject + i}`,
      request: { image_url: `${sandboxUrl}/samples/mug.png` },
      project,
      field: `item-${i}`,
      notice: { userId: 'u-1', workspaceId: WORKSPACE },
    })),
  );
  return { name, items: workItems, projects };
}

/** The number of fields in all projects: equal to the number of items when nothing was lost. */
export async function countSaved({ projects }: Work, sandboxUrl: string): Promise<number> {
  const headers = { authorization: `Api-Key ${SANDBOX_KEY}`, organization: WORKSPACE };
  const counts = await inParallel(READ_AT_ONCE, projects, async ({ resourcetype, id }) => {
    const response = await fetch(`${sandboxUrl}/api/v1/projects/${resourcetype}/${id}`, { headers });
    const { data } = (await response.json()) as { data: object };
    return Object.keys(data).length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
