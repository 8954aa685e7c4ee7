/** Formats the results, for the terminal and for docs/design/batches.md. */
import { byHandOf, cpuMs, goalsOf, type Measured, plainOf } from './goals';
import { type Fairness } from './fairness';
import { type PlainScript } from './plainScript';
import { type Row } from './row';
import { SHAPE_NAMES, SHAPES } from './settings';

type Column = [title: string, show: (row: Row) => string];

export function linesOf(measured: Measured): string[] {
  const { plain, byHand, segue, others, manyPolls, fairness } = measured;
  const rows = SHAPE_NAMES.flatMap((shape) =>
    [...byHand, ...carriedOn(measured), ...segue, ...others].filter((row) => row.shape === shape),
  );
  if (manyPolls) rows.push(manyPolls);
  const measuredRows = rows.filter(({ breakdown }) => breakdown.length > 0);
  return [
    ...plain.map(plainLine),
    '',
    ...tableLines(rows, costColumns(measured)),
    ...['', 'Seconds from the start of a row until:', ''],
    ...tableLines(measuredRows, breakdownColumns(measuredRows)),
    ...(fairness ? ['', fairnessLine(fairness)] : []),
    ...rows.flatMap(errorLine),
    ...goalLines(goalsOf(measured)),
  ];
}

/** The hand-written workflow does not run with so many items: the row repeats its rate and cost per item. */
function carriedOn(measured: Measured): Row[] {
  return measured.segue.flatMap((row) => {
    const hand = byHandOf(measured, row);
    if (!hand || hand.items === row.items) return [];
    return [
      {
        ...hand,
        items: row.items,
        name: `${hand.name}, carried on from ${hand.items.toLocaleString('en')}`,
        breakdown: [],
        errors: [],
      },
    ];
  });
}

function costColumns(measured: Measured): Column[] {
  const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 1 : 0)}×`;
  return [
    ...NAME_COLUMNS,
    ['items/s', ({ perSecond }) => perSecond.toFixed(perSecond < 100 ? 1 : 0)],
    ['worker CPU', ({ workerMs }) => `${workerMs.toFixed(2)} ms`],
    ['server CPU', ({ serverMs }) => `${serverMs.toFixed(2)} ms`],
    ['events an item', ({ events }) => events.toFixed(events < 10 ? 2 : 0)],
    ['actions an item', ({ actions }) => actions.toFixed(actions < 10 ? 2 : 0)],
    ['worker memory', ({ peakMiB }) => `${Math.round(peakMiB)} MiB`],
    [
      'rate, by hand = 1',
      (row) => {
        const hand = byHandOf(measured, row);
        return hand ? times(row.perSecond / hand.perSecond) : '';
      },
    ],
    [
      'CPU, by hand = 1',
      (row) => {
        const hand = byHandOf(measured, row);
        return hand ? `1/${(cpuMs(hand) / cpuMs(row)).toFixed(1)}` : '';
      },
    ],
    [
      'rate, plain script = 1',
      (row) => {
        const plain = plainOf(measured, row);
        return plain ? (row.perSecond / plain.perSecond).toFixed(3) : '';
      },
    ],
  ];
}

const NAME_COLUMNS: Column[] = [
  ['', ({ name, shape }) => `${SHAPES[shape].name}: ${name}`],
  ['items', ({ items }) => items.toLocaleString('en')],
];

function breakdownColumns(rows: Row[]): Column[] {
  const moments = rows[0]?.breakdown.map(([moment]) => moment) ?? [];
  return [
    ...NAME_COLUMNS,
    ...moments.map((moment, place): Column => [
      moment,
      ({ breakdown }) => breakdown[place]?.[1]?.toFixed(1) ?? '',
    ]),
    ['over', ({ items, perSecond }) => (items / perSecond).toFixed(1)],
  ];
}

function tableLines(rows: Row[], allColumns: Column[]): string[] {
  if (rows.length === 0) return [];
  const columns = allColumns.map(([title, show], place) => {
    const cells = [title, ...rows.map(show)];
    const width = Math.max(...cells.map((cell) => cell.length));
    const isText = place === 0;
    const rule = isText ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`;
    const [head = '', ...others] = cells.map((cell) => (isText ? cell.padEnd(width) : cell.padStart(width)));
    return [head, rule, ...others];
  });
  return ['', '', ...rows].map((_line, n) => `| ${columns.map((cells) => cells[n]).join(' | ')} |`);
}

function plainLine({ items, perSecond, cpuMs }: PlainScript): string {
  return (
    `A plain script without durability, a project each, ${items} items: ` +
    `${perSecond.toFixed(0)} items/s, ${cpuMs.toFixed(2)} ms of CPU an item.`
  );
}

function fairnessLine({ items, alone, beside }: Fairness): string {
  const shown = ({ ms, jobs }: Fairness['alone']) => `${Math.round(ms)} ms (median of ${jobs})`;
  return `A single job takes ${shown(alone)} alone, and ${shown(beside)} beside a batch of ${items} items.`;
}

function errorLine({ name, shape, items, errors }: Row): string[] {
  return errors.length > 0
    ? ['', `WRONG: ${name}, ${SHAPES[shape].name}, ${items} items: ${errors.join(', ')}`]
    : [];
}

/** Lists missed goals again at the end, where they are visible. */
function goalLines(goals: ReturnType<typeof goalsOf>): string[] {
  if (goals.length === 0) return [];
  const missed = goals.filter(({ isReached }) => !isReached);
  return [
    '',
    ...goals.map(
      ({ words, measured, isReached }) =>
        `${isReached ? 'reached' : 'MISSED '}  ${words}: ${measured.toFixed(measured < 1 ? 3 : 1)}`,
    ),
    '',
    missed.length === 0
      ? 'No goal is missed.'
      : `Missed, of ${goals.length}: ${missed.map(({ words }) => words).join('; ')}.`,
  ];
}
