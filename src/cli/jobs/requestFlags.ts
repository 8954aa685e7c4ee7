/** Turns the request schema of a tool into flags, so that a new tool needs no code here. */
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { type MediaTool } from '../../api/tools';
import { softNumber } from '../lib/flags';

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

/**
 * A flag for each field of the request. Flags only collect: none is mandatory, and what does not fit is handed on as
 * it is, so that the request's one check can name all problems at once.
 */
export function addRequestFlags(command: Command, tool: MediaTool): void {
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
