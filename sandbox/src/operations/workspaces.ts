import { z } from 'zod';
import { defineOperation } from '../operation';

const teamspace = z.object({ id: z.int(), name: z.string(), slug: z.string(), is_active: z.boolean() });

const context = z
  .object({
    user: z.object({
      id: z.int().optional(),
      first_name: z.string().optional(),
      last_name: z.string().optional(),
      email: z.string().optional(),
    }),
    workspace: z.object({
      id: z.int(),
      name: z.string(),
      slug: z.string(),
      is_active: z.boolean(),
      settings: z.object({
        timezone: z.string().optional(),
        language: z.string().optional(),
        start_of_week: z.string().optional(),
      }),
    }),
    teamspaces: z.array(teamspace),
  })
  .meta({ id: 'WorkspaceContext' });

export const getWorkspace = defineOperation({
  name: 'get-workspace',
  kind: 'read',
  method: 'GET',
  url: '/api/v1/workspaces/current',
  summary: 'Get the current workspace context',
  answers: { 200: { description: 'User, workspace and its active spaces.', schema: context } },
  handle({ caller }, { state }) {
    const found = state.workspaces.get(caller.workspace);
    // The caller's workspace always exists.
    if (!found) throw new Error(`there is no workspace ${caller.workspace}`);
    const { teamspaces, ...named } = found;
    const workspace = { ...named, id: state.otherIdOf(named.id) };
    const user = caller.user === undefined ? {} : (state.users.get(caller.user) ?? {});
    const active = teamspaces.filter(({ is_active }) => is_active);
    return { status: 200, body: { user, workspace, teamspaces: active } };
  },
});
