/** `--out DIR --at POINTER`: saves the files that a result points to. */
import { mkdir } from 'node:fs/promises';
import { type Command } from 'commander';
import { isPointer } from '../../api/json';
import { type SavedFile, saveFilesOf } from '../../client/files';
import { type JobReport } from '../../client/report';
import { word } from '../lib/advice';
import { loadProxySettings } from '../../config';
import { EXIT, type ExitCode, reasonOf, UsageError } from '../lib/exit';
import { env } from '../lib/io';

export interface SaveFlags {
  out?: string;
  at?: string;
}

export interface Saving {
  files: SavedFile[];
  /** What keeps it from being all, in words. */
  problem: string | null;
  exitCode: ExitCode;
}

export function addSaveFlags(command: Command): Command {
  return command
    .option('--out <dir>', 'save the files that the result points to in this folder')
    .option('--at <pointer>', 'where in `info` their URLs are, as a JSON pointer, like /images');
}

/** `flag` names the folder. */
export function validateSaving({ out, at }: SaveFlags, flag = '--out'): string[] {
  if (out === undefined && at === undefined) return [];
  return [
    ...(out === undefined ? [`--at: says where URLs are; give ${flag}, the folder to save them in`] : []),
    ...(at === undefined
      ? [`${flag}: needs --at, the JSON pointer to the URLs in \`info\`, like /images`]
      : []),
    ...(at === undefined || isPointer(at) ? [] : [`--at: "${at}" is not a JSON pointer, like /images`]),
  ];
}

/** Before anything is sent: a result must not be paid for and then have no place. */
export async function prepareFolder({ out }: SaveFlags, flag = '--out'): Promise<void> {
  if (out === undefined) return;
  await mkdir(out, { recursive: true }).catch((error: unknown) => {
    throw new UsageError(`${flag} ${out}: cannot be used as a folder: ${reasonOf(error)}`);
  });
}

export async function saveFiles({ key, info }: JobReport, { out, at }: Required<SaveFlags>): Promise<Saving> {
  const files = await saveFilesOf(info, key, { into: out, at, proxy: loadProxySettings(env()) });
  if (typeof files === 'string') return { files: [], problem: `--${files}`, exitCode: EXIT.wrongInput };
  const failed = files.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return { files, problem: null, exitCode: EXIT.done };
  const problem =
    `The job succeeded, but ${failed.length} of ${files.length} files could not be saved. ` +
    `To try again: segue media follow ${word(key)} --out ${word(out)} --at ${word(at)}`;
  return { files, problem, exitCode: EXIT.failed };
}
