import { type Command } from 'commander';
import { type Batch, type BatchEntry, type BatchFilter } from '../../client/batches';
import { BATCH_STAGES } from '../../contract';
import { validateConcurrencyOrder } from '../../validation/inputs';
import { countsWords } from './format';
import { addResults } from './results';
import { BATCH, type BatchCheckFlags, beginBatch, checkBatch, retryBatch } from './run';
import { addScopeFlags, asFlags, softNumber } from '../lib/flags';
import { exiting } from '../lib/io';
import { addChange, addFollow, addList, addOrder, addStatus, type ChangeFlags } from '../lib/noun';
import { addJson, addRun, addStart, type JsonFlag } from '../lib/run';

const EXAMPLES = `
Examples:
  segue batch check examples/products.ndjson
  segue batch run products.ndjson --key products-7 --concurrency 100
  segue batch start products.ndjson --key products-7 --notify u-1@42
  segue batch results products-7 --status failed --manifest > corrected.ndjson
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

  addJson(batch.command('check <manifest>'), 'print one JSON object, with the first 20 bad lines')
    .description('find everything that is wrong with a manifest; a file, - for stdin, or an https address')
    .option('--skip-bad', 'leave bad lines out: exit 0 when at least one is good')
    .action(exiting((manifest: string, flags: BatchCheckFlags) => checkBatch(manifest, flags)));
  addRun(addManifestFlags(batch.command('run <manifest>')), BATCH, beginBatch).description(
    'start a batch and wait until every item is over or a separate job',
  );
  addStart(addManifestFlags(batch.command('start <manifest>')), beginBatch).description(
    'start a batch and return when all lines are handed over',
  );
  addFollow(batch, BATCH);
  addStatus(batch, BATCH);
  addResults(batch);
  addChanges(batch);
  addJson(batch.command('retry <key>'))
    .description(
      'run failed and cancelled items of a batch again and write unsaved ones again, as the batch KEY+2; refused while it is open',
    )
    .addHelpText(
      'after',
      '\nRunning it twice starts one batch. What is held, or may be alive at the service, is not run again.',
    )
    .action(exiting((key: string, flags: JsonFlag) => retryBatch(key, flags)));
  addList<BatchEntry, BatchFilter>(batch, {
    ...{ one: 'batch', plural: 'batches' },
    columns: ['KEY', 'STATUS', 'STAGE', 'ITEMS'],
    rowOf: ({ key, status, stage, counts }) => [key, status, stage ?? '', counts ? countsWords(counts) : ''],
    stages: BATCH_STAGES,
    client: (segue) => segue.batch,
  });
}

function addManifestFlags(command: Command): Command {
  return addScopeFlags(command, 'of the batch itself; lines have their own')
    .option('--key <key>', 'required: the name of the batch; the same name later continues this batch')
    .option('--concurrency <n>', 'how many items are at the service at once (200)', softNumber)
    .option('--notify <user@workspace>', 'who is notified once, at the end')
    .option('--skip-bad', 'leave bad lines out')
    .option('--check', 'only check the manifest, as `segue batch check` does, and start nothing')
    .addHelpText('after', '\nMANIFEST is a file, - for stdin, or an https address.');
}

interface ConcurrencyFlags extends ChangeFlags {
  to: number;
}

function addChanges(batch: Command): void {
  addOrder(batch, BATCH, 'pause', 'paused', (one, order) => one.pause(order)).description(
    'submit nothing more; accepted tasks continue',
  );
  addOrder(batch, BATCH, 'resume', 'resumed', (one, order) => one.resume(order)).description(
    'resume a paused batch',
  );
  addOrder(batch, BATCH, 'cancel', 'cancelled', (one, order) => one.cancel(order)).description(
    'submit nothing more, and end; accepted tasks continue, and the results name them',
  );

  const concurrency = batch.command('concurrency <key>');
  addChange<Batch, ConcurrencyFlags>(concurrency, BATCH, ({ by, reason, to }, problems) => {
    const order = { by, reason, concurrency: to };
    problems.push(...asFlags(validateConcurrencyOrder(order), { concurrency: '--to' }));
    return async (one) => {
      await one.concurrency(order);
      return { done: `has ${to} slots, by ${by}` };
    };
  })
    .description('change how many items are at the service at once')
    .option('--to <n>', 'required: the new number', softNumber)
    .option('--reason <text>', 'why');
}
