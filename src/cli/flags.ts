/** Turns the request schema of a tool into flags, so that a new tool needs no code here. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { type MediaTool } from '../api/tools';
import { DURATION_FORM, parseDuration } from '../durations';

interface FieldSchema {
  type?: string;
  enum?: string[];
  description?: string;
}

/** None is mandatory here: a request may come from a file, and its own check names everything that is missing. */
export function addRequestFlags(command: Command, tool: MediaTool): void {
  const { properties = {} } = z.toJSONSchema(tool.request);
  for (const [field, schema] of Object.entries(properties as Record<string, FieldSchema>)) {
    command.addOption(flagFor(field, schema));
  }
}

/** The request that the given flags make; fields without a flag are left to the service. */
export function requestFrom(tool: MediaTool, flags: Record<string, unknown>): Record<string, unknown> {
  const given = Object.keys(tool.request.shape).map((field) => [field, flags[optionName(field)]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** `1, 2,3` is three items; an empty one is for the request's own check to refuse. */
export function listFlag(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

export function integerFlag(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

export function durationFlag(text: string): string {
  if (parseDuration(text) === undefined) throw new InvalidArgumentError(`It is ${DURATION_FORM}.`);
  return text;
}

function flagFor(field: string, schema: FieldSchema): Option {
  const flag = `--${field.replaceAll('_', '-')}`;
  if (schema.type === 'boolean') return new Option(flag, schema.description);
  const option = new Option(`${flag} <${schema.enum?.join('|') ?? 'value'}>`, schema.description);
  if (schema.enum) option.choices(schema.enum);
  if (schema.type === 'number' || schema.type === 'integer') option.argParser(numberFlag);
  return option;
}

function numberFlag(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('It is a number.');
  return number;
}

/** The name under which commander keeps a flag: `image_url` is given as `--image-url` and kept as `imageUrl`. */
function optionName(field: string): string {
  return field.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
