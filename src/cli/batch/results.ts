/** `segue batch results`: the outcome of each item, in the manifest's order, one JSON object a line. */
import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { type Batch } from '../../client/batches';
import { type DownloadTarget, prepareFolder, type ResultWithFiles, type SavedFile } from '../../client/files';
import { type MissingResults } from '../../client/batches/results';
import { type BatchItemStatus, ITEM_STATUSES } from '../../contract';
import { loadProxySettings } from '../../config';
import { assertValid } from '../../errors';
import { missingLines } from './format';
import { BATCH } from './run';
import { counted } from '../lib/format';
import { validateSaving } from '../jobs/save';
import { env, EXIT, type ExitCode, exiting, io, say } from '../lib/io';
import { validateKey, withRun } from '../lib/noun';

interface ResultsFlags {
  status?: BatchItemStatus;
  manifest?: boolean;
  download?: string;
  at?: string;
}

interface WantedResults {
  status?: BatchItemStatus;
  target?: DownloadTarget;
}

export function addResults(batch: Command): void {
  batch
    .command('results <key>')
    .description(
      "print what became of each item, in the manifest's order, at any time; one JSON object a line",
    )
    .addOption(new Option('--status <status>', 'only those that have it').choices(ITEM_STATUSES))
    .option(
      '--manifest',
      'with --status failed: print their manifest lines, to correct them and start them with another key',
    )
    .option(
      '--download <dir>',
      'save the files that results point to in this folder; a second call skips files that exist',
    )
    .option('--at <pointer>', 'where in `info` their URLs are, as a JSON pointer, like /images')
    .action(
      exiting(async (key: string, flags: ResultsFlags) => {
        const wanted = wantedFrom(flags, validateKey(BATCH, key));
        if (flags.manifest) return withRun(BATCH, key, printFailedLines);
        if (wanted.target) await prepareFolder(wanted.target.into, '--download');
        return withRun(BATCH, key, (one) => printResults(one, wanted));
      }),
    );
}

/** `ofKey` are problems of the key. */
export function wantedFrom(
  { status, manifest, download: out, at }: ResultsFlags,
  ofKey: string[] = [],
): WantedResults {
  const problems = [...ofKey, ...validateSaving({ out, at }, '--download')];
  if (out !== undefined && status !== undefined && status !== 'succeeded' && status !== 'unsaved')
    problems.push(`--download: only items that succeeded have files, not those that are ${status}`);
  if (manifest && (status !== 'failed' || out !== undefined))
    problems.push('--manifest: only with --status failed, and without --download');
  assertValid(problems, 'Nothing was read');
  if (out === undefined || at === undefined) return { status };
  return { status, target: { into: out, at, proxy: loadProxySettings(env()) } };
}

async function printResults(batch: Batch, { status, target }: WantedResults): Promise<ExitCode> {
  const files = { saved: 0, exists: 0, failed: 0 };
  const missing: MissingResults[] = [];
  const options = { onMissing: (part: MissingResults) => void missing.push(part) };
  let [shown, all] = [0, 0];
  for await (const result of target ? batch.download(target, options) : batch.results(options)) {
    all += 1;
    if (status !== undefined && result.status !== status) continue;
    shown += 1;
    countFiles(result, files);
    await printLine(result);
  }
  say(status === undefined ? counted(all, 'item') : `${shown} of ${counted(all, 'item')} ${status}`);
  missingLines(missing).forEach(say);
  if (!target) return EXIT.done;
  say(
    `${counted(files.saved, 'file')} saved, ${files.exists} there before, ${files.failed} could not be saved`,
  );
  return files.failed === 0 ? EXIT.done : EXIT.failed;
}

async function printFailedLines(batch: Batch): Promise<ExitCode> {
  let count = 0;
  for await (const item of batch.failedItems()) {
    count += 1;
    await printLine(item);
  }
  say(`${counted(count, 'line')}: correct them, then start them with another key`);
  return EXIT.done;
}

/** A million results do not fit in memory, so a slow reader is waited for. */
async function printLine(value: object): Promise<void> {
  if (!io().stdout.write(`${JSON.stringify(value)}\n`)) await once(io().stdout, 'drain');
}

function countFiles(
  { key, files = [], unsaved: whyNoFiles }: ResultWithFiles,
  counts: Record<SavedFile['status'], number>,
): void {
  if (whyNoFiles !== undefined) {
    say(`${key}: --${whyNoFiles}`);
    counts.failed += 1;
  }
  for (const { status, url, error } of files) {
    counts[status] += 1;
    if (status === 'failed') say(`${key}: ${url} could not be saved: ${error ?? ''}`);
  }
}
