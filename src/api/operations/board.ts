import { z } from 'zod';
import { fillPath, type Operation } from '../operation';
import { opaqueId } from './fields';

const request = z.strictObject({
  /** UUID or slug. */
  board_id: opaqueId,
  expand: z.array(z.enum(['statuses', 'creator', 'modifier'])).optional(),
});

export const getBoard: Operation<z.infer<typeof request>, Record<string, unknown>> = {
  name: 'get board',
  request,
  ask: ({ board_id, expand }) => ({
    method: 'GET',
    path: fillPath('/api/v1/pm/boards/{board_id}', { board_id }),
    query: { expand: expand?.length ? expand.join(',') : undefined },
  }),
  response: z.looseObject({}),
};
