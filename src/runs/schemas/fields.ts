/** Fields that specs of several kinds have, as schemas. */
import { z } from 'zod';
import { text } from '../../api/operation';
import { MOST_READ, WAIT_FORM } from '../../validation/campaign';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export const id = z
  .string()
  .regex(/^\S(.*\S)?$/)
  .max(200);
export const words = text.min(1);
export const duration = z.string(`must be ${WAIT_FORM}`).regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/);
const header = z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
const person = z.string().regex(/^[\x21-\x7e]{1,200}$/);

export const scope = z
  .strictObject({ organization: header.optional(), space: header.optional() })
  .optional()
  .describe("workspace and sub-space, instead of the worker's own");

export const key = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,120}$/, 'must be 1 to 120 letters, digits, dots, underscores or hyphens');

export const placeInProject = z
  .string()
  .regex(/^\/([^~]|~[01])*$/)
  .optional();

export const few = <T extends z.ZodType>(entry: T) => z.array(entry).max(MOST_READ);

/** Who is notified, and where the notification leads. */
export const notifyFields = {
  userId: person,
  workspaceId: person,
  threadId: words.optional(),
  link: words.optional().describe('where the notification leads'),
  ctaLabel: words.optional().describe('what is written on that link'),
};

/** What is read of a workspace, by a campaign and by an outlook. */
export const researchFields = {
  drafts: z
    .strictObject({
      accounts: few(
        z
          .string()
          .regex(/^[^,\s]([^,]*[^,\s])?$/)
          .max(200),
      )
        .min(1)
        .describe('whose drafts are read'),
      search: words.optional().describe('only drafts whose content matches'),
    })
    .optional()
    .describe('draft social posts'),
  activity: few(id).optional().describe('tasks whose activity is read'),
  boards: few(id).optional().describe('boards, by UUID or slug'),
};
