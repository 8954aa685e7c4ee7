/** The control API, which is not part of the service: ledger, faults, seeds and webhooks. */
import { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Backstage } from './exchange';
import { ruleSchema } from './faults/rules';
import { sampleUrls } from './images/samples';
import { operations } from './operations';
import { problemsOf } from './problems';
import { readSeed, type Seed } from './seed';
import { type Change } from './state';

interface Controls extends Backstage {
  /** The state that a reset restores. */
  seed: Seed;
}

const names = operations.map(({ name }) => name) as [string, ...string[]];
const rule = ruleSchema(names);

const webhook = z.strictObject({
  kind: z.enum(['transcription', 'video']),
  id: z.string().min(1),
  job_status: z.string().min(1),
});

const ledgerQuery = z.object({
  operation: z.string().optional(),
  after: z.coerce.number().int().min(0).default(0),
  entries: z.enum(['yes', 'no']).default('yes'),
});

export function addControls(app: FastifyInstance, controls: Controls): void {
  const { ledger, rules, journal, service } = controls;
  const { state } = service;
  const commit = async (...changes: Change[]): Promise<void> => {
    for (const change of changes) state.apply(change);
    journal?.append({ changes, entry: null });
    await journal?.synced();
  };

  /** Gives what was read, after all of it is on disk. */
  const kept = async <Reading>(reading: Reading): Promise<Reading> => {
    await journal?.synced();
    return reading;
  };

  app.get('/_sandbox/ledger', (request) => {
    const { operation, after, entries } = check(ledgerQuery, request.query);
    const wanted = entries === 'no' ? [] : ledger.entries;
    return kept({
      entries: wanted.filter(
        (entry) => entry.seq > after && (operation === undefined || entry.operation === operation),
      ),
      summary: ledger.summary,
    });
  });

  app.get('/_sandbox/faults', () => ({ faults: rules.all }));
  app.post('/_sandbox/faults', (request, reply) =>
    reply.code(201).send(rules.add(check(rule, json(request.body)))),
  );
  app.delete('/_sandbox/faults', () => {
    rules.clear();
    return { faults: [] };
  });
  app.delete<{ Params: { id: string } }>('/_sandbox/faults/:id', (request) => {
    if (!rules.remove(request.params.id))
      throw new ControlError(404, `there is no fault ${request.params.id}`);
    return { faults: rules.all };
  });

  app.get('/_sandbox/samples', () => ({ samples: sampleUrls(service.origin()) }));
  app.get('/_sandbox/notifications', () => kept({ notifications: [...state.notifications] }));

  app.post('/_sandbox/seed', async (request) => {
    const reading = readSeed(json(request.body), state.workspaces.keys());
    if (!reading.ok)
      throw new ControlError(400, 'the seed cannot be used; nothing of it was taken', reading.problems);
    await commit({ type: 'seed', seed: reading.seed, at: new Date().toISOString() });
    return { seeded: true };
  });

  app.post('/_sandbox/reset', async () => {
    rules.clear();
    ledger.clear();
    await commit({ type: 'reset' }, { type: 'seed', seed: controls.seed, at: new Date().toISOString() });
    return { reset: true };
  });

  app.post('/_sandbox/webhooks', async (request) => {
    const { kind, job_status, ...record } = check(webhook, json(request.body));
    const id = kind === 'transcription' ? record.id.toLowerCase() : record.id;
    const records = kind === 'video' ? state.videos : state.transcriptions;
    if (!records.has(id)) throw new ControlError(404, `there is no ${kind} ${id}`);
    await commit({ type: 'job-over', kind, id, job_status });
    return { written: true };
  });
}

/** Thrown for a request that cannot be fulfilled; answered like the service's own errors. */
export class ControlError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
    readonly errors?: string[],
  ) {
    super(message);
  }
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const reading = schema.safeParse(value);
  if (!reading.success) throw new ControlError(400, 'validation error', problemsOf(reading.error));
  return reading.data;
}

function json(body: unknown): unknown {
  try {
    return JSON.parse(String(body)) as unknown;
  } catch (error) {
    throw new ControlError(400, `the body is not JSON: ${(error as Error).message}`);
  }
}
