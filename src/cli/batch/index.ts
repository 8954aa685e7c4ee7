import { type Command } from 'commander';
import { type BatchCheckFlags, checkBatch } from './check';
import { EXITS } from './exits';
import { problemsOfBatchId, withBatch } from './key';
import { type BatchListFlags, showBatches } from './list';
import { addOrders } from './orders';
import { printResults, type ResultsFlags, wantedFrom } from './results';
import { retryBatch } from './retry';
import { type BatchRunFlags, showBatch, waitForBatch, withStartedBatch } from './run';
import { EXIT } from '../lib/exit';
import { problemsOfTimeout, softNumber } from '../lib/flags';
import { prepareFolder } from '../jobs/save';
import { tellStarted } from '../lib/start';
import { io } from '../lib/io';

const EXAMPLES = `
Examples:
  segue batch check examples/products.ndjson
  segue batch run products.ndjson --key products-7 --concurrency 100
  segue batch start products.ndjson --key products-7 --notify u-1@42
  segue batch results products-7 --status failed > failed.ndjson
  segue batch results products-7 --download pictures --at /images > results.ndjson
  segue batch retry products-7
  segue batch check https://example.com/tonight.ndjson --skip-bad --json

A line of MANIFEST is one job, as JSON:
  {"key":"mug-7","tool":"remove-background","request":{"image_url":"https://example.com/mug-7.png"}}`;

export function addTo(program: Command): void {
  const batch = program
    .command('batch')
    .description('run batches: one manifest, one job a line')
    .addHelpText('after', EXAMPLES);

  batch
    .command('check <manifest>')
    .description('find everything that is wrong with a manifest; a file, - for stdin, or an https address')
    .option('--skip-bad', 'leave bad lines out: exit 0 when at least one is good')
    .option('--json', 'print one JSON object, with the first 100 bad lines')
    .addHelpText('after', EXITS.check)
    .action(async (manifest: string, flags: BatchCheckFlags) => {
      io().exitCode = await checkBatch(manifest, flags);
    });
  waiting(asking(batch.command('run <manifest>')))
    .description('start a batch and wait until every item is over, or goes on as a run of its own')
    .addHelpText('after', EXITS.run)
    .action(async (manifest: string, flags: BatchRunFlags) => {
      io().exitCode = await withStartedBatch(manifest, flags, (one) => waitForBatch(one, flags));
    });
  asking(batch.command('start <manifest>'))
    .description('start a batch and return when all lines are handed over')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXITS.start)
    .action(async (manifest: string, flags: BatchRunFlags) => {
      io().exitCode = await withStartedBatch(manifest, flags, (one, connected) =>
        tellStarted(one, connected, flags),
      );
    });
  waiting(batch.command('follow <key>'))
    .description('wait for a batch that was started')
    .addHelpText('after', EXITS.follow)
    .action(async (key: string, flags: { json?: boolean; timeout?: string }) => {
      io().exitCode = await withBatch(key, (one) => waitForBatch(one, flags), problemsOfTimeout(flags));
    });
  batch
    .command('status <key>')
    .alias('show')
    .description('show how a batch stands')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXITS.read)
    .action(async (key: string, flags: { json?: boolean }) => {
      io().exitCode = await withBatch(key, async (one) => {
        showBatch(await one.report(), flags);
        return EXIT.done;
      });
    });
  batch
    .command('results <key>')
    .description(
      "print what became of each item, in the manifest's order, at any time; one JSON object a line",
    )
    .option('--status <status>', 'only those that are waiting, running, succeeded, failed, held or cancelled')
    .option(
      '--download <dir>',
      'save the files that results point to in this folder; asked again, it goes on',
    )
    .option('--at <pointer>', 'where in `info` their URLs are, as a JSON pointer, like /images')
    .addHelpText(
      'after',
      `
An item that continued as a run of its own has the outcome of that run.
Temporal keeps the results of a partition for the namespace's retention after its end. Said on stderr: until when all
are there, and how many items are missing, because they are kept no longer or not handed over yet, with what the batch
counted of them.

A file is named after the key of its item: KEY-1.png.
${EXITS.results}`,
    )
    .action(async (key: string, flags: ResultsFlags) => {
      const wanted = wantedFrom(flags, problemsOfBatchId(key));
      await prepareFolder({ out: wanted.place?.into }, '--download');
      io().exitCode = await withBatch(key, (one) => printResults(one, wanted));
    });
  addOrders(batch);
  batch
    .command('retry <key>')
    .description('run the failed items of a batch again, as the batch KEY+2; refused while it is open')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Asked twice, it is one batch. What is held, or may be alive at the service, is not run again.
${EXITS.retry}`,
    )
    .action(async (key: string, flags: { json?: boolean }) => {
      io().exitCode = await retryBatch(key, flags);
    });
  batch
    .command('list')
    .description('list batches, newest first')
    .option('--stage <stage>', 'only those that are here, or ended so')
    .option('--limit <n>', 'show at most so many', softNumber, 50)
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', EXITS.list)
    .action((flags: BatchListFlags) => showBatches(flags));
}

/** What `run` and `follow` wait for; a script must know when they come back. */
const WAITING = '\n--timeout and Ctrl-C stop waiting, never the batch.';

function asking(command: Command): Command {
  return command
    .option('--key <key>', 'required: what makes it the same batch; started again, it goes on')
    .option('--concurrency <n>', 'how many items are at the service at once (200)', softNumber)
    .option('--notify <user@workspace>', 'who is told of the end, once')
    .option(
      '--organization <id>',
      'workspace of the batch itself: of its notification, and among whose batches it takes turns',
    )
    .option('--space <id>', 'sub-space of the same')
    .option('--skip-bad', 'leave bad lines out')
    .option('--check', 'only look at the manifest, as `segue batch check` does, and start nothing')
    .addHelpText('after', '\nMANIFEST is a file, - for stdin, or an https address.');
}

function waiting(command: Command): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--timeout <duration>', 'stop waiting after this long; the batch goes on')
    .addHelpText('after', WAITING);
}
