import { z } from 'zod';
import { type Operation, fillPath, uuid, opaqueId } from '../operation';

export const WORKSPACE_PATH = '/api/v1/workspaces/current';

const id = z.int();

/** Every field may be missing. Those that nothing depends on are not named, and kept as they come. */
const workspaceContext = z.looseObject({
  workspace: z
    .looseObject({
      id: id.nullish(),
      name: z.string().nullish(),
      slug: z.string().nullish(),
      is_active: z.boolean().nullish(),
      settings: z
        .looseObject({ timezone: z.string().nullish(), start_of_week: z.string().nullish() })
        .nullish(),
    })
    .nullish(),
});

export type WorkspaceContext = z.infer<typeof workspaceContext>;

export const getWorkspace: Operation<Record<string, never>, WorkspaceContext> = {
  name: 'get workspace',
  request: z.strictObject({}),
  toHttp: () => ({ method: 'GET', path: WORKSPACE_PATH }),
  response: workspaceContext,
};

const voice = z.looseObject({ id: z.string() });

export const getVoice: Operation<{ voice_id: string }, z.infer<typeof voice>> = {
  name: 'get voice',
  request: z.strictObject({ voice_id: uuid }),
  toHttp: ({ voice_id }) => ({ method: 'GET', path: fillPath('/api/v1/voices/{voice_id}', { voice_id }) }),
  response: voice,
  onNotFound: 'a voice of another workspace that is not published is not found either',
};

const boardRequest = z.strictObject({
  /** UUID or slug. */
  board_id: opaqueId,
  expand: z.array(z.enum(['statuses', 'creator', 'modifier'])).optional(),
});

export const getBoard: Operation<z.infer<typeof boardRequest>, Record<string, unknown>> = {
  name: 'get board',
  request: boardRequest,
  toHttp: ({ board_id, expand }) => ({
    method: 'GET',
    path: fillPath('/api/v1/pm/boards/{board_id}', { board_id }),
    query: { expand: expand?.length ? expand.join(',') : undefined },
  }),
  response: z.looseObject({}),
};
