/** What a schedule hands to each firing, as a schema: for other languages that make schedules. */
import { z } from 'zod';
import {
  DEFAULT_BATCH_CONCURRENCY,
  MOST_BATCH_CONCURRENCY,
  NOTIFY_EVENTS,
  type ScheduledBatch,
} from '../../contract';
import { campaignJsonSchema, withoutDialect } from './campaign';
import { outlookJsonSchema } from './outlook';
import { duration, type JsonSchema, notifyFields, scope } from './fields';
import { type TargetKind } from '../schedule/targets';

const batchSpec = z.strictObject({
  manifest: z
    .string()
    .regex(/^https?:\/\//)
    .describe(
      'https address of the manifest, read anew each time; plain http from the machine of the worker only',
    ),
  concurrency: z
    .int()
    .min(1)
    .max(MOST_BATCH_CONCURRENCY)
    .optional()
    .describe(`how many items are at the service at once; ${DEFAULT_BATCH_CONCURRENCY} when left out`),
  scope,
  notify: z
    .strictObject({
      ...notifyFields,
      on: z.array(z.enum(NOTIFY_EVENTS)).optional().describe('of what; of all of them when left out'),
    })
    .optional()
    .describe('who is told of the end, once'),
  skipBad: z.boolean().optional().describe('bad lines are left out, and the others are run'),
}) satisfies z.ZodType<ScheduledBatch>;

const times = z
  .union([
    z.strictObject({ cron: z.string().describe('5 to 7 fields, or @daily and the like') }),
    z.strictObject({ every: duration.describe('whole seconds, counted from midnight UTC') }),
    z.strictObject({
      calendar: z
        .union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown())).min(1)])
        .describe("as Temporal's SDK for TypeScript writes it: hour, minute, dayOfWeek and the like"),
    }),
  ])
  .describe('the times of the schedule itself, which a clock change makes something of');

const poll = z.strictObject({
  min: duration.optional(),
  max: duration.optional(),
  deadline: duration.optional(),
  giveUp: duration.optional(),
});
const submit = z.strictObject({ timeout: duration.optional(), authGrace: duration.optional() });

export function scheduleJsonSchema(): JsonSchema {
  const { $schema, $defs, ...campaign } = campaignJsonSchema();
  const targets: Record<TargetKind, JsonSchema> = {
    campaign: keyless(campaign),
    outlook: keyless(withoutDialect(outlookJsonSchema())),
    batch: { ...plain(batchSpec), title: 'Batch' },
  };
  return {
    $schema,
    title: 'Schedule',
    description:
      'Input of the workflow `firing`, which a Temporal Schedule with the id `segue/<name>` starts with the id ' +
      '`firing/<name>`; Temporal appends the time. The overlap policies that stop a run are not for it.',
    type: 'object',
    properties: {
      target: {
        description: 'what is started each time, under a key of that time',
        oneOf: Object.entries(targets).map(([kind, spec]) => strict({ kind: { const: kind }, spec })),
      },
      spec: plain(times),
      timezone: { type: 'string', description: 'by whose clock, like Europe/Berlin' },
      poll: { ...plain(poll), description: 'how often tasks are asked after' },
      submit: { ...plain(submit), description: 'how long the service may take' },
    },
    required: ['target', 'spec', 'timezone'],
    additionalProperties: false,
    $defs,
  };
}

function plain(schema: z.ZodType): JsonSchema {
  return withoutDialect(z.toJSONSchema(schema));
}

function strict(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Each firing has its own key; how a run is started is its firing's to know. */
function keyless({ description: _start, properties, required, ...schema }: JsonSchema): JsonSchema {
  const { key: _key, ...others } = properties ?? {};
  return { ...schema, properties: others, required: required?.filter((name) => name !== 'key') };
}
