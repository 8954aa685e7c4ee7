/** `segue batch start`, `run` and `retry`: the manifest is checked as a whole, then handed over. */
import { type BatchSpec } from '../../runs/batch/start';
import { type Batch } from '../../client/batches';
import { type ManifestCheck } from '../../runs/manifest';
import { type JobReport, NO_JOB } from '../../client/report';
import { type BatchResult, type BatchStatus } from '../../contract';
import { assertValid } from '../../errors';
import { batchKeyOf, batchTaskQueue } from '../../contract/ids';
import { validateGivenBatch } from '../../validation/inputs';
import { checkBatch, manifestReading, warningLine } from './check';
import { batchShown, resultLines, statusLines } from './format';
import { adviceOnBatch, leftLines, word } from '../lib/advice';
import { withSegue } from '../lib/connect';
import { EXIT, type ExitCode } from '../lib/exit';
import { asFlags, notifyFrom, scopeFrom, type ScopeFlags, validateTimeout } from '../lib/flags';
import { headline, type WaitFlags } from '../lib/follow';
import { print, printJson, say } from '../lib/io';
import { type Begin, type JsonFlag, type Noun, validateKey } from '../lib/noun';
import { watcher } from '../lib/screen';
import { sayThatItExists, sayWhenNobodyPolls, tellStarted } from '../lib/start';

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
  /** Only look at the manifest. */
  check?: boolean;
}

export const beginBatch: Begin<Batch, BatchRunFlags> = async (source, flags, go) => {
  const { withCheckedManifest } = await import('../../runs/manifest/index.js');
  const settings = await settingsFrom(source, flags);
  if (flags.check) return checkBatch(source, flags);
  const reading = { skipBad: flags.skipBad, ...manifestReading(), onCheck: tellCheck };
  return withCheckedManifest(source, reading, ({ manifest, partitions }) =>
    go({
      start: (segue) => segue.batch.start({ ...settings, manifest, partitions }),
      exists: () => 'What it has is not submitted again.',
      submitQueue: batchTaskQueue,
    }),
  );
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

function tellCheck(name: string, { warnings, usable, badLines }: ManifestCheck): void {
  for (const warning of warnings) say(warningLine(name, warning));
  if (usable && badLines > 0) say(`${name}: ${badLines} bad lines are left out`);
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
      say(`Nothing failed in the batch ${key} itself, so nothing is run again.`);
      return EXIT.done;
    }
    const again = `What fails there is run again by: segue batch retry ${word(batch.key)}`;
    if (batch.existing) await sayThatItExists(batch, `Nothing is submitted again. ${again}`);
    else say(`Failed items that are run again: ${repeated}`);
    await sayWhenNobodyPolls(connected, batch.taskQueue, batchTaskQueue(batch.taskQueue));
    return tellStarted(batch, { json }, { repeated, left });
  });
}
