/**
 * What a batch costs, beside a plain workflow an item as a team writes it by hand (handWritten/): `npm run bench`.
 * Everything runs on this machine: one Temporal dev server, one sandbox, and for each row a worker of its own.
 */
import os from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { measureFairness } from './fairness';
import { goalsOf, type Measured } from './goals';
import { handWrittenRow } from './handWrittenRow';
import { jobsRow } from './jobsRow';
import { linesOf } from './report';
import { segueRow } from './segueRow';
import {
  CONCURRENCY,
  HEAP_MIB,
  ITEMS_A_PROJECT,
  POLL_EVERY_MS,
  POST_LATENCY_MS,
  SUBMITS_ON_WIRE,
} from './settings';
import { onStage } from './stage';

const PARTS = ['hand-written', 'jobs', 'segue', 'polls', 'fairness'];
const USUAL_SIZES = [1_000, 10_000];
const FULL_SIZE = 100_000;
const USUAL_POLLS = 2;
const MANY_POLLS = 16;

interface Options {
  items: number[];
  handWritten: number;
  beside: number;
  full?: boolean;
  only: string[];
  strict?: boolean;
  profile?: string;
}

function counts(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.every((number) => Number.isInteger(number) && number > 0)) return numbers;
  throw new InvalidArgumentError('It takes whole numbers, like 1000,10000.');
}

function count(text: string): number {
  return counts(text)[0] ?? 0;
}

function parts(text: string): string[] {
  const names = text.split(',');
  if (names.every((name) => PARTS.includes(name))) return names;
  throw new InvalidArgumentError(`It takes some of ${PARTS.join(', ')}.`);
}

const program = new Command('npm run bench --')
  .description('measures what a batch costs, beside a workflow an item that is written by hand')
  .option('--items <numbers>', 'sizes of the batches, by commas', counts, USUAL_SIZES)
  .option('--hand-written <number>', 'items of the hand-written one and of single jobs', count, 300)
  .option('--beside <number>', 'items of the batch that a single job runs beside', count, 5_000)
  .option('--full', `a batch of ${FULL_SIZE} items, too`)
  .option('--only <parts>', `some of ${PARTS.join(', ')}, by commas`, parts, PARTS)
  .option('--strict', 'exit 1 where a goal is missed; figures differ from machine to machine')
  .option('--profile <folder>', 'leave a CPU profile of each worker there');

async function measure(options: Options): Promise<Measured> {
  const { items, only, handWritten, beside, full } = options;
  const sizes = [...items, ...(full ? [FULL_SIZE] : [])];
  const isAsked = (part: string) => only.includes(part);
  return onStage(options, async (stage) => {
    const sandbox = await stage.sandbox(USUAL_POLLS);
    const measured: Measured = { segue: [] };
    if (isAsked('hand-written')) measured.byHand = await handWrittenRow(handWritten, stage, sandbox);
    if (isAsked('jobs')) measured.jobs = await jobsRow(handWritten, stage, sandbox);
    if (isAsked('segue'))
      for (const items of sizes) measured.segue.push(await segueRow(items, stage, sandbox));
    if (isAsked('polls')) {
      const slow = await stage.sandbox(MANY_POLLS);
      measured.manyPolls = await segueRow(items[0] ?? 0, stage, slow, `Segue, ${MANY_POLLS} polls`);
    }
    if (isAsked('fairness')) measured.fairness = await measureFairness(beside, stage, sandbox);
    return measured;
  });
}

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<Options>();
  const measured = await measure(options);
  const settings = [
    `${USUAL_POLLS} polls, a project write and a notification an item`,
    `${POST_LATENCY_MS} ms a POST, ${POLL_EVERY_MS} ms between polls, ${CONCURRENCY} items of a batch at the service`,
    `${SUBMITS_ON_WIRE} POSTs of a worker on the wire (a half for batches), ${ITEMS_A_PROJECT} items of a batch in a project`,
    `${os.availableParallelism()} cores, heaps of at most ${HEAP_MIB} MiB`,
  ];
  console.log([settings.join('; '), '', ...linesOf(measured)].join('\n'));
  const isMissed = goalsOf(measured).some(({ isReached }) => !isReached);
  return options.strict && isMissed ? 1 : 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
