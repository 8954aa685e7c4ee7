/** `segue batch start` and `run`: the manifest is checked as a whole, then handed over. */
import { type Batch } from '../../client/batches/batch';
import { type ManifestCheck } from '../../runs/manifest';
import { type JobReport } from '../../client/report';
import { loadStarterConfig } from '../../config';
import { type BatchResult, type BatchStatus } from '../../contract';
import { requireGood } from '../../errors';
import { batchTaskQueue } from '../../contract/ids';
import { problemsOfGivenBatch } from '../../validation/batch';
import { checkBatch, manifestReading, warningLine } from './check';
import { batchShown } from './screen';
import { adviceOnBatch, resultLines, statusLines } from './words';
import { followCommand } from '../commandLine';
import { type Connected, withTemporal } from '../connect';
import { type ExitCode } from '../exit';
import { asBatchFlag, problemsOfTimeout } from '../flags';
import { notifyFrom } from '../jobs/jobFlags';
import { print, printJson, say } from '../print';
import { watcher } from '../screen';
import { sayThatItExists, sayWhenNobodyPolls } from '../starting';
import { exitCodeOf, headline, waitFor } from '../waiting';
import { env } from '../io';
import { type BatchSpec } from '../../runs/batch/start';

export interface BatchRunFlags {
  key?: string;
  concurrency?: number;
  notify?: string;
  organization?: string;
  space?: string;
  skipBad?: boolean;
  /** Only look at the manifest. */
  check?: boolean;
  json?: boolean;
  timeout?: string;
}

/** Goes on with the batch when every line of the manifest is handed over. */
export async function withStartedBatch(
  source: string,
  flags: BatchRunFlags,
  work: (batch: Batch, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { withCheckedManifest } = await import('../../runs/manifest/index.js');
  const settings = await settingsFrom(source, flags);
  if (flags.check) return checkBatch(source, flags);
  const { skipBad } = flags;
  const config = loadStarterConfig(env());
  const reading = { skipBad, ...manifestReading(), onCheck: tellCheck };
  // All that is wrong with it is told before anybody is asked for anything.
  return withCheckedManifest(source, reading, ({ manifest, partitions }) =>
    withTemporal(async (connected) => {
      const spec = { ...settings, manifest, partitions };
      const batch = await connected.segue(config).batch.start(spec);
      if (batch.existing) await sayThatItExists(batch, () => 'What it has is not submitted again.');
      await sayWhenNobodyPolls(connected, batch.taskQueue, batchTaskQueue(batch.taskQueue));
      return work(batch, connected);
    }),
  );
}

/** All that is wrong besides the manifest's lines, which are not read for it. */
async function settingsFrom(source: string, flags: BatchRunFlags): Promise<BatchSettings> {
  const { problemsOfSource } = await import('../../runs/manifest/index.js');
  // Whoever only looks at a manifest needs no key.
  const { key = flags.check ? ANY_KEY : undefined, concurrency, organization, space } = flags;
  const scope = organization === undefined && space === undefined ? undefined : { organization, space };
  const problems: string[] = [];
  const notify = flags.notify === undefined ? undefined : notifyFrom(flags.notify, problems);
  problems.push(
    ...problemsOfGivenBatch({ key, concurrency, scope, notify }).map(asBatchFlag),
    ...problemsOfTimeout(flags),
    ...(await problemsOfSource(source)),
  );
  requireGood(problems, 'The batch was not started');
  return { key: String(key), concurrency, scope, notify };
}

type BatchSettings = Pick<BatchSpec, 'key' | 'concurrency' | 'scope' | 'notify'>;

const ANY_KEY = 'key';

function tellCheck(name: string, { warnings, usable, badLines }: ManifestCheck): void {
  for (const warning of warnings) say(warningLine(name, warning));
  if (usable && badLines > 0) say(`${name}: ${badLines} bad lines are left out`);
}

export async function waitForBatch(
  batch: Batch,
  flags: { json?: boolean; timeout?: string },
): Promise<ExitCode> {
  const report = await waitFor<BatchStatus>(batch, flags, { onChange: watcher(batchShown()) });
  showBatch(report, flags);
  if (report.status === 'running') say(`Stopped waiting; it goes on. Follow it: ${followCommand(batch)}`);
  return exitCodeOf(report);
}

export function showBatch(report: JobReport, { json }: { json?: boolean }): void {
  if (json) {
    printJson(report);
    return;
  }
  if (report.status === 'running') {
    if (report.info === null) print(headline(report));
    else for (const line of statusLines(report.info as BatchStatus)) print(line);
    return;
  }
  print(headline(report));
  if (report.error) print(report.error);
  if (report.info === null) return;
  const result = report.info as BatchResult;
  for (const line of resultLines(result)) print(line);
  for (const line of adviceOnBatch(result)) say(line);
}
