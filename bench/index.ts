/**
 * Compares the cost of a batch with a hand-written workflow for each item (handWritten/), and with a plain
 * script without durability: `npm run bench`.
 * Everything runs on this machine: one Temporal dev server, and for each row its own sandbox and worker.
 * To compare with an older commit, check it out, replace its `bench/` with this folder, and build.
 */
import os from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { measureFairness } from './fairness';
import { goalsOf, type Measured } from './goals';
import { handWritten } from './handWrittenRow';
import { singleJobs } from './jobsRow';
import { measurePlainScript } from './plainScript';
import { linesOf } from './report';
import { measureRow } from './row';
import { segueBatch, segueCommand } from './segueRow';
import {
  CONCURRENCY,
  HEAP_MIB,
  POLL_EVERY_MS,
  POST_LATENCY_MS,
  type Shape,
  SHAPE_NAMES,
  SUBMITS_ON_WIRE,
} from './settings';
import { onStage } from './stage';

const PARTS = ['plain', 'hand-written', 'jobs', 'segue', 'command', 'polls', 'fairness'];
const SIZES: Record<Shape, { segue: number[]; handWritten: number[] }> = {
  each: { segue: [2_000, 10_000], handWritten: [300, 2_000] },
  fifty: { segue: [2_000, 10_000], handWritten: [300, 2_000] },
  // One goal needs a batch of 500 items that share one project.
  one: { segue: [500, 2_000, 10_000], handWritten: [300, 500, 2_000] },
};
const FULL_SIZE = 100_000;
const USUAL_POLLS = 2;
const MANY_POLLS = 16;

interface Options {
  items?: number[];
  handWritten?: number[];
  shapes: Shape[];
  beside: number;
  full?: boolean;
  only: string[];
  strict?: boolean;
  profile?: string;
}

function counts(text: string): number[] {
  const numbers = text
    .split(',')
    .map(Number)
    .sort((one, other) => one - other);
  if (numbers.every((number) => Number.isInteger(number) && number > 0)) return numbers;
  throw new InvalidArgumentError('It takes whole numbers, like 1000,10000.');
}

function count(text: string): number {
  return counts(text)[0] ?? 0;
}

/** Parses names that are separated by commas. */
function someOf<Name extends string>(names: readonly Name[]): (text: string) => Name[] {
  return (text) => {
    const asked = text.split(',');
    const known = names.filter((name) => asked.includes(name));
    if (known.length === asked.length) return known;
    throw new InvalidArgumentError(`It takes some of ${names.join(', ')}.`);
  };
}

const program = new Command('npm run bench --')
  .description('measures what a batch costs, beside a workflow an item that is written by hand')
  .option('--items <numbers>', 'sizes of the batches, by commas (2000,10000; one project: also 500)', counts)
  .option(
    '--hand-written <numbers>',
    'sizes of the hand-written ones (300,2000; one project: also 500)',
    counts,
  )
  .option(
    '--shapes <names>',
    `some of ${SHAPE_NAMES.join(', ')}, by commas`,
    someOf(SHAPE_NAMES),
    SHAPE_NAMES,
  )
  .option('--beside <number>', 'items of the batch that a single job runs beside', count, 5_000)
  .option('--full', `a batch of ${FULL_SIZE} items with a project each, too`)
  .option('--only <parts>', `some of ${PARTS.join(', ')}, by commas`, someOf(PARTS), PARTS)
  .option('--strict', 'exit 1 where a goal is missed; figures differ from machine to machine')
  .option('--profile <folder>', 'leave a CPU profile of each worker there');

async function measure(options: Options): Promise<Measured> {
  const { only, shapes, beside, full } = options;
  const isAsked = (part: string) => only.includes(part);
  const sizesOf = (shape: Shape) => options.items ?? SIZES[shape].segue;
  const handWrittenSizesOf = (shape: Shape) => options.handWritten ?? SIZES[shape].handWritten;
  const smallest = { items: Math.min(...sizesOf('each')), polls: USUAL_POLLS };
  return onStage(options, async (stage) => {
    const measured: Measured = { plain: [], byHand: [], segue: [], others: [] };
    if (isAsked('plain'))
      for (const items of sizesOf('each'))
        measured.plain.push(await measurePlainScript(items, USUAL_POLLS, stage));
    for (const shape of shapes) {
      if (isAsked('hand-written'))
        for (const items of handWrittenSizesOf(shape))
          measured.byHand.push(await measureRow(handWritten, { items, shape, polls: USUAL_POLLS }, stage));
      const sizes = [...sizesOf(shape), ...(full && shape === 'each' ? [FULL_SIZE] : [])];
      if (isAsked('segue'))
        for (const items of sizes)
          measured.segue.push(await measureRow(segueBatch, { items, shape, polls: USUAL_POLLS }, stage));
    }
    if (isAsked('jobs')) {
      const items = Math.min(...handWrittenSizesOf('each'));
      measured.others.push(await measureRow(singleJobs, { items, shape: 'each', polls: USUAL_POLLS }, stage));
    }
    if (isAsked('command'))
      measured.others.push(await measureRow(segueCommand, { ...smallest, shape: 'each' }, stage));
    if (isAsked('polls'))
      measured.manyPolls = await measureRow(
        { ...segueBatch, name: `Segue, ${MANY_POLLS} polls` },
        { ...smallest, shape: 'one', polls: MANY_POLLS },
        stage,
      );
    if (isAsked('fairness')) measured.fairness = await measureFairness(beside, USUAL_POLLS, stage);
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
    `${SUBMITS_ON_WIRE} POSTs of a worker on the wire (a half for batches)`,
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
