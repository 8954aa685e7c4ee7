import { z } from 'zod';
import { type Outlook } from '../contract';

const count = z.number();
const counts = z.record(z.string(), count);

const shape = z.object({
  weeks: z.array(
    z.object({
      week: z.iso.date(),
      drafts: z.object({ total: count, new: count, gone: count }).nullable(),
      activity: z.object({ total: count, new: count, verbs: counts }),
      tasks: counts,
      boards: z.array(z.string()),
      changes: z.array(z.string()),
    }),
  ),
  seen: z.object({
    drafts: z.object({ total: count, of: z.string() }).nullable(),
    activity: z.record(z.string(), z.object({ total: count, verbs: counts })),
  }),
  boards: z.record(z.string(), z.object({ digest: z.string(), since: z.iso.datetime() })),
  nudged: z.record(z.string(), z.string()),
});

/** The outlook that a project has; none where people, or another version, left something else there. */
export function previousOutlook(value: unknown): Outlook | undefined {
  // Taken as it is: a schema of records drops a member called `__proto__`.
  return shape.safeParse(value).success ? (value as Outlook) : undefined;
}
