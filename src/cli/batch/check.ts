/** `segue batch check`: reads a whole manifest and starts nothing. */
import { type ManifestCheck, type ManifestWarning } from '../../runs/manifest';
import { type ReadOptions } from '../../runs/manifest/source';
import { loadProxySettings } from '../../config';
import { EXIT, type ExitCode } from '../lib/exit';
import { counted } from '../lib/format';
import { env, io, print, printJson, say } from '../lib/io';

export interface BatchCheckFlags {
  skipBad?: boolean;
  json?: boolean;
}

export function manifestReading(): ReadOptions {
  return { proxy: loadProxySettings(env()), stdin: io().stdin };
}

export async function checkBatch(manifest: string, { skipBad, json }: BatchCheckFlags): Promise<ExitCode> {
  const { checkManifest, manifestLines, manifestName, problemLines } =
    await import('../../runs/manifest/index.js');
  const name = manifestName(manifest);
  const check = await checkManifest(manifestLines(manifest, manifestReading()), { skipBad });
  if (json) printJson(reportOf(name, check));
  else {
    problemLines(name, check).forEach(print);
    for (const warning of check.warnings) print(warningLine(name, warning));
    print(`${name}: ${countsOf(check)}`);
  }
  if (check.badLines > 0 && !skipBad) say('Mend the bad lines, or leave them out: --skip-bad');
  return check.usable ? EXIT.done : EXIT.wrongInput;
}

export function warningLine(name: string, { line, words }: ManifestWarning): string {
  return `${name}:${line}: warning: ${words}`;
}

/** `3 items in 1 partition, of 5 lines: 2 bad, 1 of them for a key that is taken` */
function countsOf({ items, lines, partitions, badLines, duplicates }: ManifestCheck): string {
  const counts = `${counted(items, 'item')} in ${counted(partitions.length, 'partition')}, of ${counted(lines, 'line')}`;
  if (badLines === 0) return counts;
  return `${counts}: ${badLines} bad${duplicates > 0 ? `, ${duplicates} of them for a key that is taken` : ''}`;
}

function reportOf(name: string, check: ManifestCheck): Record<string, unknown> {
  const { usable, items, lines, badLines, duplicates, partitions, digest, problems, warnings } = check;
  return {
    ...{ manifest: name, usable, items, lines, badLines, duplicates },
    ...{ partitions: partitions.length, digest: usable ? digest : null },
    ...{ problems, warnings, error: usable ? null : whatIsWrong(check) },
  };
}

function whatIsWrong({ problems, badLines, lines }: ManifestCheck): string | undefined {
  return badLines > 0 ? `${counted(badLines, 'bad line')} of ${lines}` : problems[0]?.problems[0];
}
