/**
 * The flags of a media job. Those of its request come from the schema of the tool, so that a new tool needs no code
 * here. They only collect: one check names all problems at once.
 */
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { type MediaTool } from '../../api/tools';
import { type MediaSpec } from '../../runs/media';
import { assertValid } from '../../errors';
import {
  addScopeFlags,
  notifyFrom,
  orProblem,
  validateTimeout,
  readRequestFile,
  scopeFrom,
  type ScopeFlags,
  softNumber,
  writeFrom,
} from '../lib/flags';
import { validateSaving, type SaveFlags } from './save';

export interface JobFlags extends SaveFlags, ScopeFlags, Record<string, unknown> {
  key?: string;
  input?: string;
  write?: string;
  notify?: string;
  taskId?: string;
  again?: boolean;
  json?: boolean;
  timeout?: string;
}

export function addJobFlags(command: Command, tool: MediaTool): Command {
  addRequestFlags(command, tool);
  addScopeFlags(command, "instead of the worker's own");
  return command
    .description(tool.about)
    .option('--input <file>', 'take the request from a JSON file, - for stdin; flags go over it')
    .option('--key <key>', 'what makes it the same job; the same key never submits twice (default: a digest)')
    .option('--write <type/id:/pointer>', "set the result in a project's data, like campaign/7:/media/banner")
    .option('--notify <user@workspace>', 'tell this user of the end, and when a person is needed')
    .option('--task-id <id>', 'follow a task that the service already has; nothing is submitted')
    .option('--again', 'run the job of this key again, as KEY+2; refused while it may still be alive');
}

/** The job that the flags make, or one message with everything that is wrong with them. */
export async function specFrom(name: string, tool: MediaTool, flags: JobFlags): Promise<MediaSpec> {
  const { key, input, taskId } = flags;
  const problems = [...validateTimeout(flags), ...validateSaving(flags)];
  const fromFile = input === undefined ? {} : await orProblem(readRequestFile(input), problems, {});
  const spec: MediaSpec = {
    ...{ key, tool: name, scope: scopeFrom(flags), taskId },
    request: { ...fromFile, ...requestFrom(tool, flags) },
    write: writeFrom(flags.write, problems),
    notify: notifyFrom(flags.notify, problems),
  };
  if (flags.again && taskId !== undefined)
    problems.push('--again gives the job a new task, --task-id follows one that is there; choose one');
  const { validateSpec } = await import('../../runs/media.js');
  problems.push(...validateSpec(spec));
  assertValid(problems);
  return spec;
}

interface FieldSchema {
  type?: string;
  enum?: string[];
  anyOf?: FieldSchema[];
  items?: FieldSchema;
  description?: string;
}

/** Flags that every job has; a field of a request cannot have their names. */
const TAKEN = [
  ...['input', 'key', 'organization', 'space', 'json', 'timeout', 'help'],
  ...['write', 'notify', 'task_id', 'again', 'out', 'at'],
];

/** A flag for each field of the request; none is mandatory, and what does not fit is handed on as it is. */
function addRequestFlags(command: Command, tool: MediaTool): void {
  const { properties = {} } = z.toJSONSchema(tool.request);
  for (const [field, schema] of Object.entries(properties as Record<string, FieldSchema>)) {
    if (TAKEN.includes(field))
      throw new Error(`A request field cannot be called "${field}": its flag is taken`);
    for (const option of flagsFor(field, schema)) command.addOption(option);
  }
}

/** The request that the given flags make; fields without a flag are left to the service. */
export function requestFrom(tool: MediaTool, flags: Record<string, unknown>): Record<string, unknown> {
  const given = Object.keys(tool.request.shape).map((field) => [field, flags[optionName(field)]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function flagsFor(field: string, schema: FieldSchema): Option[] {
  const { type, enum: choices, items } = withoutNull(schema);
  const name = field.replaceAll('_', '-');
  if (type === 'boolean') return [new Option(`--${name}`, schema.description), new Option(`--no-${name}`)];
  const value = choices?.join('|') ?? 'value';
  if (type === 'array') {
    const read = items && isNumber(withoutNull(items)) ? softNumber : (text: string) => text;
    const option = new Option(
      `--${name} <${value}>`,
      `${schema.description ?? ''} (may be given again)`.trim(),
    );
    return [
      option.argParser((text: string, earlier: unknown[] | undefined) => [...(earlier ?? []), read(text)]),
    ];
  }
  const option = new Option(`--${name} <${value}>`, schema.description);
  return [isNumber({ type }) ? option.argParser(softNumber) : option];
}

function withoutNull(schema: FieldSchema): FieldSchema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

function isNumber({ type }: FieldSchema): boolean {
  return type === 'number' || type === 'integer';
}

/** The name under which commander keeps a flag: `image_url` is given as `--image-url` and kept as `imageUrl`. */
function optionName(field: string): string {
  return field.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
