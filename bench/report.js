/** What was measured, for people and for docs/design/batches.md. */
const { goalsOf, cpuMs } = require('./goals');

const COLUMNS = [
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

function linesOf(measured) {
  const { byHand, segue, manyPolls, fairness } = measured;
  const rows = [byHand, ...segue, manyPolls].filter((row) => row !== undefined);
  return [
    ...(rows.length > 0 ? tableLines(rows, byHand) : []),
    ...(fairness ? ['', fairnessLine(fairness)] : []),
    ...goalLines(goalsOf(measured)),
  ];
}

/** The missed ones are named once more at the end, where they are seen. */
function goalLines(goals) {
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

function tableLines(rows, byHand) {
  const cells = [
    COLUMNS.map(([title]) => title),
    ...rows.map((row) => COLUMNS.map(([, show]) => show(row, byHand))),
  ];
  const widths = COLUMNS.map((_column, place) => Math.max(...cells.map((line) => line[place].length)));
  const lines = cells.map((line) => `| ${line.map((cell, place) => pad(cell, place, widths)).join(' | ')} |`);
  const rule = `| ${widths.map((width, place) => (place === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)];
}

function pad(cell, place, widths) {
  return place === 0 ? cell.padEnd(widths[place]) : cell.padStart(widths[place]);
}

function fairnessLine({ items, alone, beside }) {
  const shown = ({ ms, jobs }) => `${Math.round(ms)} ms (median of ${jobs})`;
  return `A single job takes ${shown(alone)} alone, and ${shown(beside)} beside a batch of ${items} items.`;
}

module.exports = { linesOf };
