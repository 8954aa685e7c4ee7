/** `segue batch start` and `run`: the manifest is checked as a whole, then handed over. */
import { SegueClient } from '../../client';
import { type Batch } from '../../client/batches/batch';
import { type RereadableManifest } from '../../client/batches/manifest';
import { type JobReport } from '../../client/report';
import { loadProxySettings, loadStarterConfig } from '../../config';
import { type BatchResult, type BatchStatus } from '../../contract';
import { InvalidInputError, requireGood } from '../../errors';
import { problemLines, warningLine } from './check';
import { batchShown } from './screen';
import { adviceOnBatch, resultLines, statusLines } from './words';
import { followCommand } from '../commandLine';
import { type Connected, withTemporal } from '../connect';
import { type ExitCode } from '../exit';
import { notifyFrom } from '../jobs/jobFlags';
import { print, printJson, say } from '../print';
import { watcher } from '../screen';
import { sayThatItExists, sayWhenNobodyPolls } from '../starting';
import { exitCodeOf, headline, waitFor } from '../waiting';

export interface BatchRunFlags {
  key: string;
  concurrency?: number;
  notify?: string;
  skipBad?: boolean;
  json?: boolean;
  timeout?: string;
}

/** Goes on with the batch when every line of the manifest is handed over. */
export async function withStartedBatch(
  source: string,
  flags: BatchRunFlags,
  work: (batch: Batch, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { withManifest } = await import('../../client/batches/manifest/index.js');
  const problems: string[] = [];
  const notify = flags.notify === undefined ? undefined : notifyFrom(flags.notify, problems);
  requireGood(problems, 'The batch was not started');
  const config = loadStarterConfig();
  return withManifest(source, loadProxySettings(), async (manifest) => {
    const check = await checked(manifest, flags);
    return withTemporal(async (connected) => {
      const { readPartitions } = await import('../../client/batches/manifest/index.js');
      const { digest, items, partitions } = check;
      const batch = await new SegueClient(connected.temporal, config).batch.start({
        ...{ key: flags.key, manifest: { digest, items, partitions } },
        partitions: readPartitions(manifest.lines(), { skipBad: flags.skipBad, name: manifest.name }),
        ...{ concurrency: flags.concurrency, notify },
      });
      if (batch.existing) await sayThatItExists(batch, () => 'What it has is not submitted again.');
      await sayWhenNobodyPolls(connected, batch.taskQueue, { submits: true });
      return work(batch, connected);
    });
  });
}

/** Everything that is wrong is told before anything is sent. */
async function checked({ name, lines }: RereadableManifest, { skipBad }: BatchRunFlags) {
  const { checkManifest } = await import('../../client/batches/manifest/index.js');
  const check = await checkManifest(lines(), { skipBad });
  for (const warning of check.warnings) say(warningLine(name, warning));
  if (check.usable) {
    if (check.badLines > 0) say(`${name}: ${check.badLines} bad lines are left out`);
    return check;
  }
  const told = check.problems.flatMap((problem) => problemLines(name, problem));
  const more = check.badLines - check.problems.length;
  throw new InvalidInputError(
    [
      ...(check.badLines === 0 ? [`${name}: is empty`] : told),
      ...(more > 0 ? [`and ${more} more bad lines: segue batch check tells them all`] : []),
    ],
    'The batch was not started',
  );
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
