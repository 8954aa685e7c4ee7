/** The spec of an outlook as a schema: what other languages and editors check it against. */
import { z } from 'zod';
import { DEFAULT_CAMPAIGN_AT, DEFAULT_OUTLOOK, MOST_OUTLOOK_WEEKS, type OutlookInput } from '../../contract';
import {
  duration,
  id,
  type JsonSchema,
  key,
  notifyFields,
  placeInProject,
  researchFields,
  scope,
} from './fields';

const outlookSpec = z.strictObject({
  key: key.describe('names this one look; the next one has another'),
  scope,
  project: z.strictObject({ resourcetype: id, id }).describe('the project that keeps the outlook'),
  at: placeInProject.describe(
    `JSON pointer to the campaign in the project's data; ${DEFAULT_CAMPAIGN_AT} when left out`,
  ),
  ...researchFields,
  weeks: z
    .int()
    .min(1)
    .max(MOST_OUTLOOK_WEEKS)
    .optional()
    .describe(`how many weeks are kept; ${DEFAULT_OUTLOOK.weeks} when left out`),
  silentAfter: duration
    .optional()
    .describe(
      `after how long without a change a board is silent; ${DEFAULT_OUTLOOK.silentAfter} when left out`,
    ),
  notify: z
    .strictObject({
      ...notifyFields,
    })
    .optional()
    .describe('who is nudged; nobody when left out'),
}) satisfies z.ZodType<OutlookInput>;

export function outlookJsonSchema(): JsonSchema {
  return {
    ...z.toJSONSchema(outlookSpec),
    title: 'Outlook',
    description:
      'Input of the workflow `outlook`, whose id is `outlook/<key>`. Start it with the id reuse policy ' +
      'RejectDuplicate, the conflict policy UseExisting and a memo `segueStart` with any text.',
    anyOf: ['drafts', 'activity', 'boards'].map((part) => ({ required: [part] })),
  };
}
