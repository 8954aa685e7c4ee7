import { z } from 'zod';
import { type State } from '../state';

export const userDetails = z
  .object({
    id: z.int(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    email: z.string().optional(),
  })
  .meta({ id: 'User' });

export function personOf(id: number, { users }: State): z.infer<typeof userDetails> {
  return users.get(id) ?? { id };
}
