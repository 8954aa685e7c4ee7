/** What people tell a running batch: pause, resume, concurrency, cancel. */
import { type Command } from 'commander';
import { type Batch } from '../../client/batches/batch';
import { problemsOfBatchOrder, problemsOfConcurrencyOrder } from '../../validation/batch';
import { EXITS } from './exits';
import { withBatch } from './key';
import { EXIT, type ExitCode } from '../lib/exit';
import { softNumber } from '../lib/flags';
import { osUser } from '../lib/person';
import { print, printJson } from '../lib/print';
import { io } from '../lib/io';

interface OrderFlags {
  by?: string;
  reason?: string;
  json?: boolean;
}

export function addOrders(batch: Command): void {
  add(batch, 'pause <key>', 'submit nothing more; what is at the service goes on', 'paused', (one, order) =>
    one.pause(order),
  );
  add(batch, 'resume <key>', 'go on with a batch that was paused', 'resumed', (one, order) =>
    one.resume(order),
  );
  add(
    batch,
    'cancel <key>',
    'submit nothing more, and end; the results tell the tasks that the service goes on with',
    'cancelled',
    (one, order) => one.cancel(order),
  );
  // What is missing is told with all else that is wrong.
  order(batch, 'concurrency <key>', 'change how many items are at the service at once')
    .option('--to <n>', 'required: so many', softNumber)
    .action(async (key: string, { by = osUser(), reason, json, to }: OrderFlags & { to: number }) => {
      const asked = { by, reason, concurrency: to };
      const work = async (one: Batch): Promise<ExitCode> => {
        await one.concurrency(asked);
        return tell(one, `has ${to} places, by ${by}`, json);
      };
      io().exitCode = await withBatch(key, work, problemsOfConcurrencyOrder(asked).map(asFlag));
    });
}

function add(
  batch: Command,
  usage: string,
  about: string,
  done: string,
  act: (one: Batch, order: { by: string; reason?: string }) => Promise<unknown>,
): void {
  order(batch, usage, about).action(async (key: string, { by = osUser(), reason, json }: OrderFlags) => {
    const asked = { by, reason };
    const work = async (one: Batch): Promise<ExitCode> => {
      await act(one, asked);
      return tell(one, `${done} by ${by}`, json);
    };
    io().exitCode = await withBatch(key, work, problemsOfBatchOrder(asked).map(asFlag));
  });
}

function asFlag(problem: string): string {
  return `--${problem.replace(/^concurrency: /, 'to: ')}`;
}

function order(batch: Command, usage: string, about: string): Command {
  return batch
    .command(usage)
    .description(about)
    .option('--by <user>', 'who says so (default: the user of this machine)')
    .option('--reason <text>', 'why')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXITS.order);
}

async function tell(batch: Batch, words: string, json: boolean | undefined): Promise<ExitCode> {
  if (json) printJson(await batch.report());
  else print(`${batch.workflowId}: ${words}`);
  return EXIT.done;
}
