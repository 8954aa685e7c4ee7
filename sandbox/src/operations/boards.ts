import { z } from 'zod';
import { isVisible } from '../access';
import { defineOperation, notFound, text } from '../operation';
import { type State } from '../state';
import { personOf, userDetails } from './people';

const EXPANSIONS = ['statuses', 'creator', 'modifier'] as const;

const expand = z
  .string()
  .transform((names) => names.split(',').map((name) => name.trim()))
  .pipe(z.array(z.enum(EXPANSIONS, `must be of ${EXPANSIONS.join(', ')}, separated by commas`)))
  .meta({
    override: { type: 'string', pattern: '^(statuses|creator|modifier)(,(statuses|creator|modifier))*$' },
  });

const boardBody = z
  .object({
    id: z.guid(),
    slug: z.string(),
    name: z.string(),
    creator: z.union([z.int(), userDetails]),
    modifier: z.union([z.int(), userDetails]),
    statuses: z.array(z.object({ id: z.int(), name: z.string() })).optional(),
  })
  .meta({ id: 'Board' });

export const getBoard = defineOperation({
  name: 'get-board',
  kind: 'read',
  method: 'GET',
  url: '/api/v1/pm/boards/{board_id}',
  summary: 'Get a board by UUID or slug',
  invented: 'its fields',
  path: z.object({ board_id: text }),
  query: z.object({ expand: expand.optional() }),
  answers: { 200: { description: 'The board.', schema: boardBody } },
  handle({ path: { board_id }, query: { expand = [] }, caller }, { state }) {
    const board = findBoard(board_id, state, (found) => isVisible(found, caller));
    if (!board) return notFound('board');
    const { id, slug, name, creator, modifier, statuses } = board;
    return {
      status: 200,
      body: {
        id,
        slug,
        name,
        creator: expand.includes('creator') ? personOf(creator, state) : creator,
        modifier: expand.includes('modifier') ? personOf(modifier, state) : modifier,
        ...(expand.includes('statuses') ? { statuses } : {}),
      },
    };
  },
});

type Board = typeof State.prototype.boards extends Map<string, infer Item> ? Item : never;

function findBoard(name: string, { boards }: State, isSeen: (board: Board) => boolean): Board | undefined {
  const byId = boards.get(name.toLowerCase());
  if (byId) return isSeen(byId) ? byId : undefined;
  return [...boards.values()].find((board) => board.slug === name && isSeen(board));
}
