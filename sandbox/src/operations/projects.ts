import { z } from 'zod';
import { isVisible } from '../access';
import { type Decision, defineOperation, notFound, refusal, type Service, text } from '../operation';
import { type Project, projectKey } from '../state';

/** Not a `z.record`, which would silently drop a member that is named `__proto__`. */
const data = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .meta({ override: { type: 'object', additionalProperties: {} } });
const path = z.object({ resourcetype: text, id: text });
const url = '/api/v1/projects/{resourcetype}/{id}';

const projectBody = z
  .object({
    resourcetype: z.string(),
    id: z.string(),
    title: z.string(),
    description: z.string(),
    primary_type: z.string(),
    data: data.optional(),
  })
  .meta({ id: 'Project' });

const etag = z.object({ ETag: z.string().optional().describe('unless switched off') });
const answers = { 200: { description: 'The project.', schema: projectBody, headers: etag } };

export const getProject = defineOperation({
  name: 'get-project',
  kind: 'read',
  method: 'GET',
  url,
  summary: 'Read a project',
  invented: 'the whole operation: the document asks to read the project first and does not show how',
  path,
  answers,
  handle({ path, caller }, service) {
    const project = find(path, caller, service);
    return project ? projectAnswer(project, service) : notFound('project');
  },
});

export const updateProject = defineOperation({
  name: 'update-project',
  kind: 'patch',
  method: 'PATCH',
  url,
  summary: 'Update a project; `data` is replaced whole',
  invented: 'the body of the answer, ETag and If-Match',
  path,
  headers: z.object({ 'If-Match': z.string().optional() }),
  body: z
    .strictObject({
      title: z.string().optional(),
      description: z.string().optional(),
      primary_type: z.string().optional(),
      data: data.optional(),
    })
    .meta({ id: 'ProjectUpdate' }),
  answers: {
    ...answers,
    412: {
      description: 'If-Match names another version.',
      schema: z.object({ detail: z.string() }),
    },
  },
  handle({ path, body, caller, headers }, service) {
    const project = find(path, caller, service);
    if (!project) return notFound('project');
    if (service.etags && !matches(headers['if-match'], project)) {
      return refusal(412, `the project has changed: it is now ${etagOf(project)}`);
    }
    const changed: Project = { ...project, ...body, version: project.version + 1 };
    const lostKeys = body.data && project.data ? droppedMembers(project.data, body.data) : [];
    return { ...projectAnswer(changed, service), lostKeys, changes: [{ type: 'project', project: changed }] };
  },
});

function find(
  { resourcetype, id }: z.infer<typeof path>,
  caller: Parameters<typeof isVisible>[1],
  { state }: Service,
): Project | undefined {
  const project = state.projects.get(projectKey({ resourcetype, id }));
  return project && isVisible(project, caller) ? project : undefined;
}

function projectAnswer(project: Project, { etags }: Service): Decision {
  const { workspace, version, ...body } = project;
  return { status: 200, body, headers: etags ? { ETag: etagOf(project) } : {} };
}

function etagOf({ version }: Project): string {
  return `"${version}"`;
}

function matches(condition: string | undefined, project: Project): boolean {
  if (condition === undefined || condition.trim() === '*') return true;
  return condition.split(',').some((tag) => tag.trim() === etagOf(project));
}

/** Removed members of objects, as JSON pointers; members below a removed one are not listed. */
function droppedMembers(before: object, after: unknown, at = ''): string[] {
  return Object.entries(before).flatMap(([name, value]) => {
    const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!isObject(after) || !Object.hasOwn(after, name)) return [place];
    return isObject(value) ? droppedMembers(value, (after as Record<string, unknown>)[name], place) : [];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
