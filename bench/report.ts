/** What was measured, for people and for docs/design/batches.md. */
import { cpuMs, goalsOf, type Measured } from './goals';
import { type Fairness } from './fairness';
import { type Row } from './row';

const COLUMNS: [title: string, show: (row: Row, byHand: Row | undefined) => string][] = [
  ['', ({ name }) => name],
  ['items', ({ items }) => items.toLocaleString('en')],
  ['items/s', ({ perSecond }) => perSecond.toFixed(perSecond < 100 ? 1 : 0)],
  ['events an item', ({ events }) => events.toFixed(events < 10 ? 2 : 0)],
  ['actions an item', ({ actions }) => actions.toFixed(actions < 10 ? 2 : 0)],
  ['worker CPU', ({ workerMs }) => `${workerMs.toFixed(2)} ms`],
  ['server CPU', ({ serverMs }) => `${serverMs.toFixed(2)} ms`],
  ['worker memory', ({ peakMiB }) => `${Math.round(peakMiB)} MiB`],
  ['CPU ratio', (row, byHand) => (byHand ? `1/${Math.round(cpuMs(byHand) / cpuMs(row))}` : '')],
  ['rate ratio', (row, byHand) => (byHand ? `${(row.perSecond / byHand.perSecond).toFixed(0)}×` : '')],
];

export function linesOf(measured: Measured): string[] {
  const { byHand, jobs, segue, manyPolls, fairness } = measured;
  const rows = [byHand, jobs, ...segue, manyPolls].filter((row) => row !== undefined);
  return [
    ...(rows.length > 0 ? tableLines(rows, byHand) : []),
    ...(fairness ? ['', fairnessLine(fairness)] : []),
    ...goalLines(goalsOf(measured)),
  ];
}

/** The missed ones are named once more at the end, where they are seen. */
function goalLines(goals: ReturnType<typeof goalsOf>): string[] {
  if (goals.length === 0) return [];
  const missed = goals.filter(({ isReached }) => !isReached);
  return [
    '',
    ...goals.map(
      ({ words, measured, isReached }) =>
        `${isReached ? 'reached' : 'MISSED '}  ${words}: ${measured.toFixed(2)}`,
    ),
    '',
    missed.length === 0
      ? 'No goal is missed.'
      : `Missed, of ${goals.length}: ${missed.map(({ words }) => words).join('; ')}.`,
  ];
}

function tableLines(rows: Row[], byHand: Row | undefined): string[] {
  const columns = COLUMNS.map(([title, show], place) => {
    const cells = [title, ...rows.map((row) => show(row, byHand))];
    const width = Math.max(...cells.map((cell) => cell.length));
    const isText = place === 0;
    const rule = isText ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`;
    const [head = '', ...others] = cells.map((cell) => (isText ? cell.padEnd(width) : cell.padStart(width)));
    return [head, rule, ...others];
  });
  return ['', '', ...rows].map((_line, n) => `| ${columns.map((cells) => cells[n]).join(' | ')} |`);
}

function fairnessLine({ items, alone, beside }: Fairness): string {
  const shown = ({ ms, jobs }: Fairness['alone']) => `${Math.round(ms)} ms (median of ${jobs})`;
  return `A single job takes ${shown(alone)} alone, and ${shown(beside)} beside a batch of ${items} items.`;
}
