import { z } from 'zod';
import { text } from '../operation';

export const NOTIFY_PATH = '/api/v1/service/agent/notify';

export const categories = [
  'agentTaskCompleted',
  'agentNeedsInput',
  'agentError',
  'agentProgress',
  'agentNudge',
] as const;

export const notification = z
  .strictObject({
    userId: text,
    workspaceId: text,
    title: text,
    message: text.refine((message) => message.split(/\r\n|\r|\n/).length <= 2, 'must have at most two lines'),
    category: z.enum(categories),
    threadId: text.optional(),
    body: text.optional(),
    ctaLabel: text.optional(),
    link: text.optional(),
    _extra: z
      .looseObject({
        event_type: z.string().optional(),
        agent: z.string().optional(),
        task_id: z.string().optional(),
      })
      .optional(),
  })
  .refine((value) => !repeatsTitle(value, 'message'), repeated('message'))
  .refine((value) => !repeatsTitle(value, 'body'), repeated('body'));

export type Notification = z.infer<typeof notification>;

/** The service shows the title as a heading above both. */
function repeatsTitle(value: unknown, field: 'message' | 'body'): boolean {
  const { title, [field]: text } = (value ?? {}) as Record<string, unknown>;
  if (typeof title !== 'string' || typeof text !== 'string' || !title.trim()) return false;
  return withoutCaseAndBlanks(text).includes(withoutCaseAndBlanks(title));
}

function withoutCaseAndBlanks(text: string): string {
  return text.toLowerCase().replace(/\s+/g, '');
}

/** Checked even where other fields are wrong, so that all problems are reported at once. */
function repeated(field: string) {
  return { path: [field], error: 'must not repeat the title', when: () => true };
}
