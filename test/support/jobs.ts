/** Jobs as a person starts them with the command, and what the service saw of them. */
import { randomUUID } from 'node:crypto';
import { eventually } from './eventually';
import { addFault, readLedger } from './sandbox';
import { segue, type Settings } from './segueProcess';

export type Row = Record<string, unknown> & { key: string };

export function newKey(): string {
  return `cli-${randomUUID()}`;
}

export function jsonLines(stdout: string): Row[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** Tasks that the service accepted for a job, in order. */
export async function tasksOf(sandboxUrl: string, key: string): Promise<string[]> {
  const { entries } = await readLedger(sandboxUrl);
  return entries.flatMap(({ kind, applied, requestId, taskId }) =>
    kind === 'submit' && applied && requestId?.startsWith(`${key}.submit.`) ? [taskId ?? ''] : [],
  );
}

export interface Starter {
  sandboxUrl: string;
  settings: Settings;
}

export function startArgs({ sandboxUrl }: Starter, key: string): string[] {
  const image = `${sandboxUrl}/samples/shoe.png`;
  return ['media', 'start', 'remove-background', '--image-url', image, '--key', key];
}

/** Starts a job whose POST the service accepts and never answers, and waits until it is held. */
export async function startHeldJob(starter: Starter, key = newKey()): Promise<string> {
  const { sandboxUrl, settings } = starter;
  await addFault(sandboxUrl, {
    operation: 'remove-background',
    match: { requestId: `${key}.submit.1` },
    fault: 'reset',
    when: 'after',
  });
  const started = await segue(startArgs(starter, key), settings);
  if (started.code !== 0) throw new Error(started.stderr);
  const held = await segue(['media', 'follow', key], settings);
  if (held.code !== 3) throw new Error(`it is not held: ${held.stdout} ${held.stderr}`);
  return key;
}

/** The job as `segue held` lists it, as soon as it does. */
export async function heldRow(key: string, settings: Settings): Promise<Row> {
  return eventually(`${key} in the list`, async () =>
    (await heldRows(settings)).find((row) => row.key === key),
  );
}

export async function heldRows(settings: Settings): Promise<Row[]> {
  const { code, stdout, stderr } = await segue(['held', '--json', '--limit', '5000'], settings);
  if (code !== 0) throw new Error(stderr);
  return jsonLines(stdout);
}
