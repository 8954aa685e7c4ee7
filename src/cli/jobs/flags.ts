/** The flags of a media job. Those of its request come from the schema of the tool: a new tool needs no code here. */
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { type MediaTool } from '../../api/tools';
import { type MediaSpec } from '../../runs/media';
import { assertValid } from '../../errors';
import {
  addScopeFlags,
  addTargetFlags,
  orProblem,
  readObjectFile,
  softNumber,
  type TargetFlags,
  targetsFrom,
  validateTimeout,
} from '../lib/flags';
import { validateSaving, type SaveFlags } from './save';

export interface JobFlags extends SaveFlags, TargetFlags, Record<string, unknown> {
  key?: string;
  input?: string;
  taskId?: string;
  again?: boolean;
  json?: boolean;
  timeout?: string;
}

export function addJobFlags(command: Command, tool: MediaTool): Command {
  addRequestFlags(command, tool);
  addScopeFlags(command, "instead of the worker's own");
  return addTargetFlags(command, 'campaign/7:/media/banner')
    .description(tool.about)
    .option('--input <file>', 'take the request from a JSON file, - for stdin; flags go over it')
    .option('--key <key>', 'what makes it the same job; the same key never submits twice (default: a digest)')
    .option('--task-id <id>', 'follow a task that the service already has; nothing is submitted')
    .option('--again', 'run the job of this key again, as KEY+2; refused while it may still be alive');
}

/** Throws one message with all problems of the flags. */
export async function specFrom(name: string, tool: MediaTool, flags: JobFlags): Promise<MediaSpec> {
  const { key, input, taskId } = flags;
  const problems = [...validateTimeout(flags), ...validateSaving(flags)];
  const fromFile = input === undefined ? {} : await orProblem(readObjectFile('--input', input), problems, {});
  const spec: MediaSpec = {
    ...{ key, tool: name, taskId },
    request: { ...fromFile, ...requestFrom(tool, flags) },
    ...targetsFrom(flags, problems),
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

/** A flag for each field of the request. None is mandatory: the check of the request names all problems. */
function addRequestFlags(command: Command, tool: MediaTool): void {
  const { properties = {} } = z.toJSONSchema(tool.request);
  for (const [field, schema] of Object.entries(properties as Record<string, FieldSchema>))
    for (const option of optionsFor(field, schema)) command.addOption(option);
}

export function requestFrom(tool: MediaTool, flags: Record<string, unknown>): Record<string, unknown> {
  const given = Object.keys(tool.request.shape).map(
    (field) => [field, flags[new Option(flagOf(field)).attributeName()]] as const,
  );
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function flagOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}

function optionsFor(field: string, schema: FieldSchema): Option[] {
  const { type, enum: choices, items } = withoutNull(schema);
  const { description = '' } = schema;
  const flag = flagOf(field);
  if (type === 'boolean') return [new Option(flag, description), new Option(flag.replace('--', '--no-'))];
  const usage = `${flag} <${choices?.join('|') ?? 'value'}>`;
  if (type !== 'array') {
    const option = new Option(usage, description);
    return [isNumber({ type }) ? option.argParser(softNumber) : option];
  }
  const read = items && isNumber(withoutNull(items)) ? softNumber : (text: string) => text;
  const add = (text: string, earlier: unknown[] = []): unknown[] => [...earlier, read(text)];
  return [new Option(usage, `${description} (may be given again)`.trim()).argParser(add)];
}

function withoutNull(schema: FieldSchema): FieldSchema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

function isNumber({ type }: FieldSchema): boolean {
  return type === 'number' || type === 'integer';
}
