/** JSON Schemas of what others write, made from the rules: for other languages and editors. */
import { type MediaTool, mediaTools, requestJsonSchema } from '../api/tools';
import { duration, givenKey, poll, submit } from '../validation/fields';
import { campaignSpec, jobName } from '../validation/campaign';
import { mediaInput, outlookSpec, recordInput, transcriptInput } from '../validation/inputs';
import { type JsonSchema, nullable } from '../validation/rules';
import { scheduledBatch, type TargetKind } from './schedule/targets';

const $schema = 'https://json-schema.org/draft/2020-12/schema';

const HOW_TO_START =
  'Start it with the id reuse policy RejectDuplicate, the conflict policy UseExisting and a memo `segueStart` with any text.';

function start(workflow: string): string {
  return `Input of the workflow \`${workflow}\`, whose id is \`${workflow}/<key>\`. ${HOW_TO_START}`;
}

/** Without the members that only Segue itself sets. */
function withoutOwn({ properties, ...schema }: JsonSchema, ...more: string[]): JsonSchema {
  const own = ['reportTo', 'held', ...more];
  const members = Object.entries(properties ?? {}).filter(([name]) => !own.includes(name));
  return { ...schema, properties: Object.fromEntries(members) };
}

export function mediaRequestJsonSchema(): JsonSchema {
  const { required, properties, ...request } = withoutOwn(mediaInput.schema);
  const description =
    'Input of the workflow `mediaRequest`, which starts the one job of its key and gives its result. Its workflow id may ' +
    'be any. Without a key, the key is a digest of the request.';
  const tools = Object.entries(mediaTools).map(([name, tool]) => ({
    ...{ description: tool.about, properties: { tool: { const: name }, request: requestOf(tool) } },
  }));
  const needed = required?.filter((name) => name !== 'key');
  return {
    ...{ $schema, title: 'Media request', description },
    ...request,
    ...{ properties: { ...properties, key: nullable(givenKey.schema) }, required: needed, oneOf: tools },
  };
}

export function transcriptJsonSchema(): JsonSchema {
  const schema = withoutOwn(transcriptInput.schema);
  return { $schema, title: 'Transcript', description: start('transcript'), ...schema };
}

export function recordJsonSchema(): JsonSchema {
  const description = 'Input of the workflow `record`, whose id is `record/<kind>~<id>`. ' + HOW_TO_START;
  return { $schema, title: 'Record', description, ...withoutOwn(recordInput.schema, 'campaign') };
}

export function outlookJsonSchema(): JsonSchema {
  return { $schema, title: 'Outlook', description: start('outlook'), ...outlookSpec.schema };
}

export function campaignJsonSchema(): JsonSchema {
  const { properties, ...schema } = campaignSpec.schema;
  const description = `${start('campaign')} Names of jobs are unique over media, transcripts and waits.`;
  const media = { ...properties?.media, additionalProperties: anyTool(properties?.media) };
  return {
    ...{ $schema, title: 'Campaign', description },
    ...schema,
    properties: { ...properties, media },
    $defs: { reference },
  };
}

const reference: JsonSchema = {
  ...strict({
    from: { ...jobName.schema, description: "the job's name" },
    at: {
      type: 'string',
      pattern: '^(\\/([^~]|~[01])*)?$',
      description: 'JSON pointer into its result, like /images/0/url',
    },
  }),
  description: "a value of another job's result",
};

/** Each tool has its own request, in which any value may be a reference. */
function anyTool(media: JsonSchema | undefined): JsonSchema {
  const { properties, ...job } = media?.additionalProperties as JsonSchema;
  return {
    oneOf: Object.entries(mediaTools).map(([name, tool]) => ({
      ...job,
      description: tool.about,
      properties: { ...properties, tool: { const: name }, request: withReferences(requestOf(tool)) },
    })),
  };
}

function requestOf(tool: MediaTool): JsonSchema {
  const { $schema: _dialect, ...request } = requestJsonSchema(tool);
  return request as JsonSchema;
}

function withReferences({ properties, items, ...schema }: JsonSchema): JsonSchema {
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, orReference(member)]);
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(members) as JsonSchema['properties'] }),
    ...(items && { items: orReference(items) }),
  };
}

function orReference(schema: JsonSchema): JsonSchema {
  return { anyOf: [withReferences(schema), { $ref: '#/$defs/reference' }] };
}

export function scheduleJsonSchema(): JsonSchema {
  const { $schema: _dialect, $defs, ...campaign } = campaignJsonSchema();
  const targets: Record<TargetKind, JsonSchema> = {
    campaign: keyless(campaign),
    outlook: keyless({ title: 'Outlook', ...outlookSpec.schema }),
    batch: { title: 'Batch', ...scheduledBatch.schema },
  };
  const target = {
    description: 'what is started each time, under a key of that time',
    oneOf: Object.entries(targets).map(([kind, spec]) => strict({ kind: { const: kind }, spec })),
  };
  const timezone = { type: 'string', description: 'by whose clock, like Europe/Berlin' };
  const required = strict({ target, spec: times, timezone });
  return {
    $schema,
    title: 'Schedule',
    description:
      'Input of the workflow `firing`, which a Temporal Schedule with the id `segue/<name>` starts with the id ' +
      '`firing/<name>`; Temporal appends the time. The overlap policies that stop a run are not for it.',
    ...required,
    properties: {
      ...required.properties,
      poll: { ...poll.schema, description: 'how often tasks are polled' },
      submit: { ...submit.schema, description: 'how long the service may take' },
    },
    $defs,
  };
}

const calendar = { type: 'object' };

const times: JsonSchema = {
  description:
    'the same times as in the Temporal Schedule; they decide which firing counts when clocks are put back',
  anyOf: [
    strict({ cron: { type: 'string', description: '5 to 7 fields, or @daily and the like' } }),
    strict({ every: { ...duration.schema, description: 'whole seconds, counted from midnight UTC' } }),
    strict({
      calendar: {
        anyOf: [calendar, { type: 'array', items: calendar, minItems: 1 }],
        description: "as Temporal's SDK for TypeScript writes it: hour, minute, dayOfWeek and the like",
      },
    }),
  ],
};

/** An object with exactly these members. */
function strict(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Each firing has its own key, and starts its run itself. */
function keyless({ description: _start, properties, required, ...schema }: JsonSchema): JsonSchema {
  const { key: _key, ...others } = properties ?? {};
  return { ...schema, properties: others, required: required?.filter((name) => name !== 'key') };
}
