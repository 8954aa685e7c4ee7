/** `--out DIR --at POINTER`: saves the files that a result points to. */
import { type Command } from 'commander';
import { isPointer } from '../../api/json';
import { type SavedFile, saveFilesOf } from '../../client/files';
import { type JobReport } from '../../client/report';
import { loadProxySettings } from '../../config';
import { shellArgument } from '../lib/advice';
import { headline, type WaitFlags } from '../lib/run';
import { lines } from '../lib/format';
import { env, EXIT, type ExitCode, print, printJson, say } from '../lib/io';

export interface SaveFlags {
  out?: string;
  at?: string;
}

export function addSaveFlags(command: Command): Command {
  return command
    .option('--out <dir>', 'save the files that the result points to in this folder')
    .option('--at <pointer>', 'where in `info` the URLs are, as a JSON pointer, like /images');
}

export function validateSaving({ out, at }: SaveFlags, flag = '--out'): string[] {
  if (out === undefined && at === undefined) return [];
  return lines(
    out === undefined && `--at: says where URLs are; give ${flag}, the folder to save them in`,
    at === undefined && `${flag}: needs --at, the JSON pointer to the URLs in \`info\`, like /images`,
    at !== undefined && !isPointer(at) && `--at: "${at}" is not a JSON pointer, like /images`,
  );
}

export async function saveFiles(
  report: JobReport,
  { out, at, json }: SaveFlags & WaitFlags,
): Promise<ExitCode | undefined> {
  if (out === undefined || at === undefined) return undefined;
  const { key, info } = report;
  const saved = await saveFilesOf(info, key, { into: out, at, proxy: loadProxySettings(env()) });
  const files = typeof saved === 'string' ? [] : saved;
  const failed = files.filter(({ status }) => status === 'failed').length;
  const filesProblem =
    failed > 0
      ? `The job succeeded, but ${failed} of ${files.length} files could not be saved. ` +
        `To try again: segue media follow ${shellArgument(key)} --out ${shellArgument(out)} --at ${shellArgument(at)}`
      : null;
  const problem = typeof saved === 'string' ? `--${saved}` : (filesProblem ?? report.error);
  if (json) printJson({ ...report, files, error: problem });
  else {
    print(headline(report));
    files.forEach(tellFile);
  }
  if (problem) say(problem);
  if (typeof saved === 'string') return EXIT.wrongInput;
  return failed > 0 ? EXIT.failed : EXIT.done;
}

function tellFile({ status, path, url, error }: SavedFile): void {
  if (status === 'saved') print(path ?? '');
  else if (status === 'exists') say(`${path ?? ''} is there already and was left as it is`);
  else say(`${url} could not be saved: ${error ?? ''}`);
}
