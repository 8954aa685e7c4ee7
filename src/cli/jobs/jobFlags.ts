/** The flags of a job, besides its request's. They only collect: one check names all problems at once. */
import { type Command } from 'commander';
import { type MediaTool } from '../../api/tools';
import { type NotifyTarget, type ProjectRef, type WriteTarget } from '../../contract';
import { requireGood } from '../../errors';
import { mediaKeyOf } from '../../contract/ids';
import { type MediaSpec, problemsOfSpec } from '../../runs/media';
import { UsageError } from '../exit';
import { problemsOfTimeout } from '../flags';
import { addRequestFlags, requestFrom } from '../requestFlags';
import { readRequestFile } from '../input';
import { problemsOfSaving, type SaveFlags } from './saving';

export interface JobFlags extends SaveFlags, Record<string, unknown> {
  key?: string;
  input?: string;
  organization?: string;
  space?: string;
  write?: string;
  notify?: string;
  taskId?: string;
  again?: boolean;
  json?: boolean;
  timeout?: string;
}

export function addJobFlags(command: Command, tool: MediaTool): Command {
  addRequestFlags(command, tool);
  return command
    .option('--input <file>', 'take the request from a JSON file, - for stdin; flags go over it')
    .option('--key <key>', 'what makes it the same job; the same key never submits twice (default: a digest)')
    .option('--organization <id>', "workspace, instead of the worker's own")
    .option('--space <id>', "sub-space, instead of the worker's own")
    .option('--write <type/id:/pointer>', "set the result in a project's data, like campaign/7:/media/banner")
    .option('--notify <user@workspace>', 'tell this user of the end, and when a person is needed')
    .option('--task-id <id>', 'follow a task that the service already has; nothing is submitted')
    .option('--again', 'run the job of this key again, as KEY+2; refused while it may still be alive')
    .option('--json', 'print one JSON object');
}

/** The job that the flags make, or one message with everything that is wrong with them. */
export async function specFrom(name: string, tool: MediaTool, flags: JobFlags): Promise<MediaSpec> {
  const { key, organization, space, input, taskId } = flags;
  const problems = [...problemsOfTimeout(flags), ...problemsOfSaving(flags)];
  const fromFile = input === undefined ? {} : await readSoftly(input, problems);
  const scope = organization === undefined && space === undefined ? undefined : { organization, space };
  const spec: MediaSpec = {
    ...{ key, tool: name, scope, taskId },
    request: { ...fromFile, ...requestFrom(tool, flags) },
    write: flags.write === undefined ? undefined : writeFrom(flags.write, problems),
    notify: flags.notify === undefined ? undefined : notifyFrom(flags.notify, problems),
  };
  if (flags.again && taskId !== undefined)
    problems.push('--again gives the job a new task, --task-id follows one that is there; choose one');
  problems.push(...problemsOfSpec(spec));
  requireGood(problems);
  return spec;
}

async function readSoftly(file: string, problems: string[]): Promise<Record<string, unknown>> {
  try {
    return await readRequestFile(file);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    problems.push(error.message);
    return {};
  }
}

export function writeFrom(text: string, problems: string[]): WriteTarget | undefined {
  const [, place = '', at = ''] = /^(.+?):(\/.*)$/.exec(text) ?? [];
  const project = projectFrom(place);
  if (project) return { project, at };
  problems.push(`--write: "${text}" is not TYPE/ID:/json/pointer, like campaign/7:/media/banner`);
  return undefined;
}

export function projectFrom(text: string): ProjectRef | undefined {
  const [, resourcetype, id] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  return resourcetype === undefined || id === undefined ? undefined : { resourcetype, id };
}

export function notifyFrom(text: string, problems: string[]): NotifyTarget | undefined {
  const [, userId, workspaceId] = /^(.+)@([^@]+)$/.exec(text) ?? [];
  if (userId !== undefined && workspaceId !== undefined) return { userId, workspaceId };
  problems.push(`--notify: "${text}" is not USER@WORKSPACE`);
  return undefined;
}

/** The key of the job that is meant by its key or its workflow id. */
export function requireKey(text: string): string {
  const key = mediaKeyOf(text);
  if (key === undefined) throw new UsageError(`"${text}" is neither a key nor the id of a media job`);
  return key;
}
