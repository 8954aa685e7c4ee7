/** The spec of a campaign as a schema: what other languages and editors check it against. */
import { z } from 'zod';
import { opaqueId, uuid } from '../../api/operation';
import { findTool, mediaTools, requestJsonSchema } from '../../api/tools';
import { MOST_AT_ONCE } from '../../validation/campaign';
import {
  type CampaignSpec,
  DEFAULT_APPROVAL,
  DEFAULT_CAMPAIGN_AT,
  DEFAULT_CAMPAIGN_CONCURRENCY,
  RECORD_KINDS,
  SUBTITLE_FORMATS,
} from '../../contract';
import {
  duration,
  few,
  id,
  type JsonSchema,
  key,
  notifyFields,
  placeInProject,
  researchFields,
  scope,
} from './fields';

const optional = z.boolean().optional().describe('the campaign goes on without it, should it fail');
const jobName = z.string().regex(/^[A-Za-z0-9._-]{1,60}$/);

const reference = z
  .strictObject({
    from: jobName.describe("the job's name"),
    at: z
      .string()
      .regex(/^(\/([^~]|~[01])*)?$/)
      .describe('JSON pointer into its result, like /images/0/url'),
  })
  .describe("a value of another job's result");

const media = z.strictObject({
  tool: z.string(),
  request: z.record(z.string(), z.unknown()),
  optional,
});

const transcript = z.strictObject({
  id: uuid.describe('of the transcription'),
  format: z.enum(SUBTITLE_FORMATS).optional().describe('srt when left out'),
  optional,
});

const wait = z.strictObject({
  asset: id.optional().describe('an asset, by id'),
  run: id.optional().describe('a workflow run of the service, by id'),
  video: id.optional().describe('a video, by id'),
  failOn: z
    .array(z.union([z.string().min(1), z.number()]))
    .optional()
    .describe('statuses that are taken for a failure'),
  optional,
});

const research = z.strictObject(researchFields);

const campaignSpec = z.strictObject({
  key: key.describe('what makes it the same campaign: the same key never runs twice'),
  scope,
  project: z
    .strictObject({ resourcetype: id, id })
    .describe('the project that the campaign keeps its state and results in'),
  at: placeInProject.describe(
    `JSON pointer to its place in the project's data; ${DEFAULT_CAMPAIGN_AT} when left out`,
  ),
  notify: z
    .strictObject({
      ...notifyFields,
      progress: z.boolean().optional().describe('stage changes are told too'),
    })
    .optional()
    .describe('who is told of the end, and when a person is needed'),
  require: z
    .strictObject({
      voices: few(uuid).optional(),
      boards: few(id).optional().describe('by UUID or slug'),
    })
    .optional()
    .describe('what must be there before anything is produced'),
  research: research.optional().describe('what is read of the workspace first'),
  media: z.record(jobName, media).optional().describe('media jobs, by name'),
  transcripts: z.record(jobName, transcript).optional().describe('subtitles to get, by name'),
  waits: z.record(jobName, wait).optional().describe('records that others make, by name'),
  approval: z
    .strictObject({
      from: opaqueId.describe('the user who is asked'),
      remind: duration.optional().describe(`between reminders; ${DEFAULT_APPROVAL.remind} when left out`),
      expires: duration
        .optional()
        .describe(`how long the answer is waited for; ${DEFAULT_APPROVAL.expires} when left out`),
    })
    .optional()
    .describe('who approves the results; without it the campaign is completed when they are there'),
  concurrency: z
    .int()
    .min(1)
    .max(MOST_AT_ONCE)
    .optional()
    .describe(`how many jobs run side by side; ${DEFAULT_CAMPAIGN_CONCURRENCY} when left out`),
}) satisfies z.ZodType<CampaignSpec>;

export function issuesOfSpec(spec: unknown): z.core.$ZodIssue[] {
  return campaignSpec.safeParse(spec, { reportInput: true }).error?.issues ?? [];
}

export function campaignJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(campaignSpec, {
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === media) becomeAnyTool(jsonSchema);
      if (zodSchema === wait) jsonSchema.oneOf = RECORD_KINDS.map((kind) => ({ required: [kind] }));
      if (zodSchema === research) jsonSchema.minProperties = 1;
    },
  });
  const needsOne = ['media', 'transcripts', 'waits', 'research'].map((part) => ({ required: [part] }));
  return {
    ...schema,
    title: 'Campaign',
    description:
      'Input of the workflow `campaign`, whose id is `campaign/<key>`. Start it with the id reuse policy ' +
      'RejectDuplicate, the conflict policy UseExisting and a memo `segueStart` with any text. Names of jobs are unique over media, transcripts and waits.',
    anyOf: needsOne,
    $defs: { reference: withoutDialect(z.toJSONSchema(reference)) },
  };
}

/** A tool is known by its name, and its request is the one that it takes, references included. */
function becomeAnyTool(schema: JsonSchema): void {
  const { properties, ...rest } = schema;
  for (const member of Object.keys(schema)) Reflect.deleteProperty(schema, member);
  schema.oneOf = Object.keys(mediaTools).map((name) => ({
    ...rest,
    description: findTool(name)?.about,
    properties: { ...properties, tool: { const: name }, request: requestWithReferences(name) },
  }));
}

function requestWithReferences(tool: string): JsonSchema {
  const known = findTool(tool);
  return known ? withoutDialect(membersOrReferences(requestJsonSchema(known))) : {};
}

/** Any value within may be a reference instead. */
function membersOrReferences(schema: JsonSchema): JsonSchema {
  const { properties, items } = schema;
  const made = { ...schema };
  if (properties)
    made.properties = Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, orReference(member as JsonSchema)]),
    );
  if (items && !Array.isArray(items)) made.items = orReference(items as JsonSchema);
  return made;
}

function orReference(schema: JsonSchema): JsonSchema {
  return { anyOf: [membersOrReferences(schema), { $ref: '#/$defs/reference' }] };
}

export function withoutDialect({ $schema, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
