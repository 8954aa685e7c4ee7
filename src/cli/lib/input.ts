import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from './exit';
import { io } from './io';

/** A request from a JSON file, or from stdin. */
export async function readRequestFile(file: string): Promise<Record<string, unknown>> {
  return readObjectFile('--input', file, 'with the fields of the request');
}

/** What a file holds, or stdin. */
export async function readTextFile(flag: string, file: string): Promise<string> {
  return file === '-' ? text(io().stdin) : readFile(file, 'utf8').catch(asUsageError(flag, file));
}

/** A JSON object from the file that a flag names, or from stdin. */
export async function readObjectFile(
  flag: string,
  file: string,
  what: string,
): Promise<Record<string, unknown>> {
  const content = await readTextFile(flag, file);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new UsageError(
      `${flag} ${file}: is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new UsageError(`${flag} ${file}: must be a JSON object ${what}`);
  }
  return value as Record<string, unknown>;
}

function asUsageError(flag: string, file: string) {
  return (error: unknown): never => {
    throw new UsageError(
      `${flag} ${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  };
}
