/** `segue batch check`, `start`, `run` and `retry`: a manifest is checked as a whole before it is handed over. */
import { type BatchSpec } from '../../runs/batch/start';
import { type Batch } from '../../client/batches';
import { type ManifestCheck, type ManifestWarning } from '../../runs/manifest';
import { type ReadOptions } from '../../runs/manifest/source';
import { loadProxySettings } from '../../config';
import { type JobReport, NO_JOB } from '../../client/report';
import { type BatchResult, type BatchStatus } from '../../contract';
import { assertValid } from '../../errors';
import { batchKeyOf } from '../../contract/ids';
import { validateGivenBatch } from '../../validation/inputs';
import { batchShown, resultLines, statusLines } from './format';
import { adviceOnBatch, leftLines, shellArgument } from '../lib/advice';
import { withSegue } from '../lib/connect';
import { asFlags, notifyFrom, scopeFrom, type ScopeFlags, validateTimeout } from '../lib/flags';
import { counted } from '../lib/format';
import { env, EXIT, type ExitCode, io, print, printJson, say } from '../lib/io';
import { type Noun, validateKey } from '../lib/noun';
import {
  type Begin,
  headline,
  type JsonFlag,
  printStarted,
  sayThatItExists,
  sayWhenNobodyPolls,
  type WaitFlags,
} from '../lib/run';
import { watcher } from '../lib/screen';

export const BATCH: Noun<BatchStatus, Batch> = {
  a: 'a batch',
  keyOf: batchKeyOf,
  get: (segue, key) => segue.batch.get(key),
  watch: () => watcher(batchShown()),
  show,
};

interface BatchRunFlags extends ScopeFlags, WaitFlags {
  key?: string;
  concurrency?: number;
  notify?: string;
  skipBad?: boolean;
  check?: boolean;
}

export const beginBatch: Begin<Batch, BatchRunFlags> = async (source, flags, go) => {
  const { withCheckedManifest } = await import('../../runs/manifest/index.js');
  const settings = await settingsFrom(source, flags);
  if (flags.check) return checkBatch(source, flags);
  const reading = { skipBad: flags.skipBad, ...manifestReading() };
  return withCheckedManifest(source, reading, ({ name, check, manifest, partitions }) => {
    tellCheck(name, check);
    return go(
      (segue) => segue.batch.start({ ...settings, manifest, partitions }),
      () => 'What it has is not submitted again.',
    );
  });
};

/** Checks everything except the lines of the manifest. */
async function settingsFrom(
  source: string,
  flags: BatchRunFlags,
): Promise<Pick<BatchSpec, 'key' | 'concurrency' | 'scope' | 'notify'>> {
  const { validateSource } = await import('../../runs/manifest/index.js');
  // --check needs no key.
  const { key = flags.check ? 'key' : undefined, concurrency } = flags;
  const scope = scopeFrom(flags);
  const problems: string[] = [];
  const notify = notifyFrom(flags.notify, problems);
  problems.push(
    ...asFlags(validateGivenBatch({ key, concurrency, scope, notify })),
    ...validateTimeout(flags),
    ...(await validateSource(source)),
  );
  assertValid(problems, 'The batch was not started');
  return { key: String(key), concurrency, scope, notify };
}

function tellCheck(name: string, { warnings, badLines }: ManifestCheck): void {
  for (const warning of warnings) say(warningLine(name, warning));
  if (badLines > 0) say(`${name}: ${counted(badLines, 'bad line')} left out`);
}

function show(report: JobReport): void {
  if (report.status === 'running' && report.info !== null) {
    statusLines(report.info as BatchStatus).forEach(print);
    return;
  }
  print(headline(report));
  if (report.error) print(report.error);
  if (report.info === null) return;
  const result = report.info as BatchResult;
  resultLines(result).forEach(print);
  adviceOnBatch(result).forEach(say);
}

export function retryBatch(text: string, { json }: JsonFlag): Promise<ExitCode> {
  assertValid(validateKey(BATCH, text), 'Nothing was asked');
  const key = batchKeyOf(text) ?? text;
  return withSegue(async (segue, connected) => {
    const { batch, items: repeated, left } = await segue.batch.retry(key);
    leftLines(key, left).forEach(say);
    if (!batch) {
      if (json) printJson({ ...NO_JOB, status: 'succeeded', error: null, repeated, left });
      say(`Nothing failed, is unsaved or was cancelled in the batch ${key} itself, so nothing is run again.`);
      return EXIT.done;
    }
    const again = `What fails there is run again by: segue batch retry ${shellArgument(batch.key)}`;
    if (batch.existing) await sayThatItExists(batch, `Nothing is submitted again. ${again}`);
    else say(`Failed, unsaved or cancelled items that are run again: ${repeated}`);
    await sayWhenNobodyPolls(connected, batch.taskQueue);
    return printStarted(batch, { json }, { repeated, left });
  });
}

export interface BatchCheckFlags {
  skipBad?: boolean;
  json?: boolean;
}

function manifestReading(): ReadOptions {
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
  if (check.badLines > 0 && !skipBad) say('Correct the bad lines, or leave them out: --skip-bad');
  return check.usable ? EXIT.done : EXIT.wrongInput;
}

function warningLine(name: string, { line, words }: ManifestWarning): string {
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
  const error = badLines > 0 ? `${counted(badLines, 'bad line')} of ${lines}` : problems[0]?.problems[0];
  return {
    ...{ manifest: name, usable, items, lines, badLines, duplicates },
    ...{ partitions: partitions.length, digest: usable ? digest : null },
    ...{ problems, warnings, error: usable ? null : error },
  };
}
