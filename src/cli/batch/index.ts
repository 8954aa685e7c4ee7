import { type Command } from 'commander';
import { type Batch } from '../../client/batches/batch';
import { type BatchEntry, type BatchFilter } from '../../client/batches';
import { BATCH_STAGES } from '../../contract';
import { validateBatchOrder, validateConcurrencyOrder } from '../../validation/batch';
import { type BatchCheckFlags, checkBatch } from './check';
import { countsWords } from './format';
import { printResults, type ResultsFlags, wantedFrom } from './results';
import { BATCH, type BatchRunFlags, retryBatch, withStartedBatch } from './run';
import { prepareFolder } from '../jobs/save';
import { softNumber } from '../lib/flags';
import { follow } from '../lib/follow';
import { exiting } from '../lib/io';
import {
  addFollow,
  addJson,
  addList,
  addStatus,
  addWaitFlags,
  changeCommand,
  type ChangeFlags,
  changeRun,
  type JsonFlag,
  oneOf,
  validateKey,
  withRun,
} from '../lib/noun';
import { tellStarted } from '../lib/start';

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

const UNREACHABLE = '4 Temporal cannot be reached';
const NO_ANSWER = `${UNREACHABLE}, or no worker answers`;
const NO_SUCH = '1 there is no such batch';
const WRONG = '2 something is wrong';
const WRONG_MANIFEST = '2 a flag or the manifest is wrong, or the key has another manifest';
const NO_MANIFEST = "4 Temporal, or the manifest's address, cannot be reached";

const RESULTS = `
An item that continued as a run of its own has the outcome of that run.
Temporal keeps the results of a partition for the namespace's retention after its end. Said on stderr: until when all
are there, and how many items are missing, because they are kept no longer or not handed over yet, with what the batch
counted of them.

A file is named after the key of its item: KEY-1.png.`;

export function addTo(program: Command): void {
  const batch = program
    .command('batch')
    .description('run batches: one manifest, one job a line')
    .addHelpText('after', EXAMPLES);

  const check = addJson(
    batch.command('check <manifest>'),
    'print one JSON object, with the first 100 bad lines',
  )
    .description('find everything that is wrong with a manifest; a file, - for stdin, or an https address')
    .option('--skip-bad', 'leave bad lines out: exit 0 when at least one is good')
    .action(exiting((manifest: string, flags: BatchCheckFlags) => checkBatch(manifest, flags)));
  exits(check, `0 it can be run · ${WRONG} · 4 the address cannot be read`);

  const run = addWaitFlags(addManifestFlags(batch.command('run <manifest>')), 'batch')
    .description('start a batch and wait until every item is over, or goes on as a run of its own')
    .action(
      exiting((manifest: string, flags: BatchRunFlags) =>
        withStartedBatch(manifest, flags, (one) => follow(one, flags, BATCH)),
      ),
    );
  exits(
    run,
    `0 all succeeded · 1 some failed, or it was cancelled, or no copy of the manifest can be kept here ·
${WRONG_MANIFEST} · 3 some are held · ${NO_MANIFEST} · 5 waiting stopped, still running`,
  );

  const start = addJson(addManifestFlags(batch.command('start <manifest>')))
    .description('start a batch and return when all lines are handed over')
    .action(
      exiting((manifest: string, flags: BatchRunFlags) =>
        withStartedBatch(manifest, flags, (one, connected) => tellStarted(one, connected, flags)),
      ),
    );
  exits(
    start,
    `0 all lines are handed over · 1 no copy of the manifest can be kept here · ${WRONG_MANIFEST} · ${NO_MANIFEST}`,
  );

  exits(
    addFollow(batch, BATCH),
    `0 all succeeded · 1 some failed, or it was cancelled, or there is no such batch · ${WRONG} ·
3 some are held · ${UNREACHABLE} · 5 waiting stopped, still running`,
  );
  exits(addStatus(batch, BATCH), `0 read · ${NO_SUCH} · ${WRONG} · ${UNREACHABLE}`);

  const results = batch
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
    .addHelpText('after', RESULTS)
    .action(
      exiting(async (key: string, flags: ResultsFlags) => {
        const wanted = wantedFrom(flags, validateKey(BATCH, key));
        await prepareFolder({ out: wanted.place?.into }, '--download');
        return withRun(BATCH, key, (one) => printResults(one, wanted));
      }),
    );
  exits(
    results,
    `0 printed · ${NO_SUCH}, or some files could not be saved; the others are · ${WRONG} · ${NO_ANSWER}`,
  );

  addChanges(batch);

  const retry = addJson(batch.command('retry <key>'))
    .description('run the failed items of a batch again, as the batch KEY+2; refused while it is open')
    .addHelpText(
      'after',
      '\nAsked twice, it is one batch. What is held, or may be alive at the service, is not run again.',
    )
    .action(exiting((key: string, flags: JsonFlag) => retryBatch(key, flags)));
  exits(
    retry,
    `0 they are handed over, or nothing failed · ${NO_SUCH} · 2 it is not run again; why is told · ${NO_ANSWER}`,
  );

  const list = addList<BatchEntry, BatchFilter>(batch, {
    plural: 'batches',
    columns: ['KEY', 'STATUS', 'STAGE', 'ITEMS'],
    rowOf: ({ key, status, stage, counts }) => [key, status, stage ?? '', counts ? countsWords(counts) : ''],
    filterFrom: ({ stage }, problems) => ({ stage: oneOf('--stage', stage, BATCH_STAGES, problems) }),
    client: (segue) => segue.batch,
  });
  exits(list, `0 listed · ${WRONG} · ${UNREACHABLE}`);
}

/** A script must know how a command ends. */
function exits(command: Command, codes: string): void {
  command.addHelpText('after', `\nExit: ${codes}.`);
}

function addManifestFlags(command: Command): Command {
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

/** Pause, resume, cancel and concurrency. */
function addChanges(batch: Command): void {
  addChange(batch, 'pause', 'submit nothing more; what is at the service goes on', 'paused');
  addChange(batch, 'resume', 'go on with a batch that was paused', 'resumed');
  addChange(
    batch,
    'cancel',
    'submit nothing more, and end; the results tell the tasks that the service goes on with',
    'cancelled',
  );
  // What is missing is told with all else that is wrong.
  change(batch, 'concurrency <key>', 'change how many items are at the service at once')
    .option('--to <n>', 'required: so many', softNumber)
    .action(
      exiting((key: string, flags: ChangeFlags & { to: number }) => {
        const asked = (by: string) => ({ by, reason: flags.reason, concurrency: flags.to });
        const act = async (one: Batch, by: string) => {
          await one.concurrency(asked(by));
          return { done: `has ${flags.to} slots, by ${by}` };
        };
        return changeRun(BATCH, key, flags, act, (by) => validateConcurrencyOrder(asked(by)).map(asFlag));
      }),
    );
}

function addChange(batch: Command, verb: 'pause' | 'resume' | 'cancel', about: string, done: string): void {
  change(batch, `${verb} <key>`, about).action(
    exiting((key: string, flags: ChangeFlags) => {
      const { reason } = flags;
      const act = async (one: Batch, by: string) => {
        await one[verb]({ by, reason });
        return { done: `${done} by ${by}` };
      };
      return changeRun(BATCH, key, flags, act, (by) => validateBatchOrder({ by, reason }).map(asFlag));
    }),
  );
}

function change(batch: Command, usage: string, about: string): Command {
  const command = changeCommand(batch, usage, about).option('--reason <text>', 'why');
  exits(
    command,
    `0 it was taken · ${NO_SUCH} · 2 something is wrong, or the batch is over, or not paused where it is to be
resumed; nothing was done · ${NO_ANSWER}`,
  );
  return command;
}

function asFlag(problem: string): string {
  return `--${problem.replace(/^concurrency: /, 'to: ')}`;
}
