import { z } from 'zod';
import { type Operation } from '../operation';

export const WORKSPACE_PATH = '/api/v1/workspaces/current';

const id = z.int();

/** Every field may be missing. Those that nothing depends on are kept as they come. */
const workspaceContext = z.looseObject({
  user: z.looseObject({ id: id.nullish() }).nullish(),
  workspace: z
    .looseObject({
      id: id.nullish(),
      name: z.string().nullish(),
      slug: z.string().nullish(),
      is_active: z.boolean().nullish(),
      settings: z
        .looseObject({
          timezone: z.string().nullish(),
          language: z.string().nullish(),
          start_of_week: z.string().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  /** Active spaces only, and no authority on which spaces a user can scope into. */
  teamspaces: z.array(z.looseObject({ id: id.nullish(), name: z.string().nullish() })).nullish(),
});

export type WorkspaceContext = z.infer<typeof workspaceContext>;

export const getWorkspace: Operation<Record<string, never>, WorkspaceContext> = {
  name: 'get workspace',
  request: z.strictObject({}),
  ask: () => ({ method: 'GET', path: WORKSPACE_PATH }),
  response: workspaceContext,
};
