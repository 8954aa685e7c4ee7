/** The initial content of a sandbox: a JSON file with workspaces, voices, projects and so on. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { UnusableFile } from './errors';
import { PACE_FORM, parsePace } from './pace';
import { problemsOf } from './problems';

/** The example that ships, and the default content of a sandbox. */
export const EXAMPLE_SEED = path.resolve(__dirname, '..', 'seed.json');

const id = z.union([z.string().min(1), z.int()]).transform(String);
/** In lower case, so that lookups ignore case. */
const uuid = z.guid().toLowerCase();
const when = z.iso.datetime({ offset: true });
const workspaceId = z.int().describe('the workspace it belongs to');
const spaceId = z.int().optional().describe('only seen in this space, or without one');
const pace = z
  .string()
  .refine((text) => text === 'webhook' || parsePace(text) !== undefined, {
    error: `must be ${PACE_FORM}, or "webhook" (it ends only by a webhook)`,
  })
  .optional();

const person = z.strictObject({
  id: z.int(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  email: z.string().optional(),
});

const teamspace = z.strictObject({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  is_active: z.boolean().default(true),
});

const workspace = z.strictObject({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  is_active: z.boolean().default(true),
  settings: z
    .strictObject({
      timezone: z.string().optional(),
      language: z.string().optional(),
      start_of_week: z.string().optional(),
    })
    .default({}),
  teamspaces: z.array(teamspace).default([]),
});

const key = z.strictObject({
  key: z.string().min(1),
  user: z.int(),
  workspaces: z.array(z.int()).min(1).describe('the first is the one without an Organization header'),
  notify: z.boolean().default(true).describe('whether it may send notifications'),
});

const voice = z.strictObject({
  id: uuid,
  workspace: workspaceId.nullable().describe('null: published to all workspaces'),
  space: spaceId,
  voice_name: z.string(),
  gender: z.union([z.literal(0), z.literal(1), z.literal(3)]),
  is_premium: z.boolean().default(false),
  description: z.string().default(''),
  supports_instructions: z.boolean().default(false),
});

const board = z.strictObject({
  id: uuid,
  slug: z.string().min(1),
  workspace: workspaceId,
  space: spaceId,
  name: z.string(),
  statuses: z.array(z.strictObject({ id: z.int(), name: z.string() })).default([]),
  creator: z.int(),
  modifier: z.int(),
});

const boardTask = z.strictObject({
  id,
  workspace: workspaceId,
  space: spaceId,
  activity: z.array(
    z.strictObject({
      verb: z.string(),
      actor: z.int(),
      timestamp: when,
      diff: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
});

const draft = z.strictObject({
  id,
  workspace: workspaceId,
  account_id: id,
  content: z.string(),
  created_at: when,
  updated_at: when,
});

const project = z.strictObject({
  resourcetype: z.string().min(1),
  id,
  workspace: workspaceId,
  title: z.string().default(''),
  description: z.string().default(''),
  primary_type: z.string().default(''),
  data: z.record(z.string(), z.unknown()).optional().describe('left out: its read has none either'),
});

const cue = z
  .strictObject({ start: z.number().min(0), end: z.number().min(0), text: z.string().min(1) })
  .refine(({ start, end }) => start < end, { error: 'must end after it starts' });

const transcription = z.strictObject({
  id: uuid,
  workspace: workspaceId,
  task_id: z.string().min(1),
  outcome: z.enum(['DONE', 'FAILED']).default('DONE'),
  pace,
  cues: z.array(cue).default([]),
});

/** A record with a list of statuses: each read gives the next one, and the last one stays. */
const record = <Status extends z.ZodType>(status: Status) =>
  z.strictObject({ id, workspace: workspaceId, statuses: z.array(status).min(1) });

const seedShape = z.strictObject({
  $schema: z.string().optional(),
  keys: z.array(key).default([]),
  users: z.array(person).default([]),
  workspaces: z.array(workspace).default([]),
  voices: z.array(voice).default([]),
  boards: z.array(board).default([]),
  boardTasks: z.array(boardTask).default([]),
  drafts: z.array(draft).default([]),
  projects: z.array(project).default([]),
  transcriptions: z.array(transcription).default([]),
  assets: z.array(record(z.int())).default([]),
  runs: z.array(record(z.string().min(1))).default([]),
  videos: z.array(record(z.string().min(1))).default([]),
});

export type Seed = z.infer<typeof seedShape>;

export type SeedReading = { ok: true; seed: Seed } | { ok: false; problems: string[] };

/** Checks a seed; `knownWorkspaces` are those that exist already. */
export function readSeed(value: unknown, knownWorkspaces: Iterable<number> = []): SeedReading {
  const reading = seedShape.safeParse(value);
  if (!reading.success) return { ok: false, problems: problemsOf(reading.error) };
  const problems = contradictions(reading.data, knownWorkspaces);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, seed: reading.data };
}

function contradictions(seed: Seed, knownWorkspaces: Iterable<number>): string[] {
  const workspaces = new Set([...knownWorkspaces, ...seed.workspaces.map(({ id }) => id)]);
  const problems: string[] = [];
  for (const [list, items] of Object.entries(seed)) {
    if (!Array.isArray(items)) continue;
    const seen = new Set<unknown>();
    items.forEach((item: Record<string, unknown>, index) => {
      const name = JSON.stringify([item.resourcetype, item.id ?? item.key]);
      if (seen.has(name)) problems.push(`${list}.${index}: has the id of an earlier one`);
      seen.add(name);
      const named = [item.workspace, ...((item.workspaces as unknown[] | undefined) ?? [])];
      for (const workspace of named.filter((id) => typeof id === 'number')) {
        if (!workspaces.has(workspace)) problems.push(`${list}.${index}: there is no workspace ${workspace}`);
      }
    });
  }
  return problems;
}

/** Reads a seed from a file; the error names the file and every problem in it. */
export async function loadSeed(file: string): Promise<Seed> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UnusableFile(file, [error instanceof Error ? error.message : String(error)]);
  }
  const reading = readSeed(value);
  if (!reading.ok) throw new UnusableFile(file, reading.problems);
  return reading.seed;
}
