/** The pictures of numbers: bars on a time axis, and columns. */
import { type RunReport, type TimelineRow } from './read';
import { formatDuration } from '../../contract/durations';
import { counted } from '../lib/format';
import { type Markup, markup } from './markup';

export function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** By class of the style sheet. */
const TONES = {
  wait: ['waiting', 'paused', 'skipped'],
  hold: ['held', 'overdue', 'attention', 'approving', 'unsaved'],
  good: ['succeeded', 'completed'],
  bad: ['failed', 'abandoned', 'cancelled', 'terminated', 'rejected', 'expired'],
};

export function toneOf(status: string): string {
  return Object.entries(TONES).find(([, statuses]) => statuses.includes(status))?.[0] ?? 'run';
}

/** Of a kind, in a row. */
const MOST_SHOWN = 400;

function thinned<T>(all: readonly T[]): T[] {
  const every = Math.ceil(all.length / MOST_SHOWN);
  return all.filter((_one, index) => index % every === 0);
}

/** A row for the run, and one for each of its jobs or partitions. */
export function timeline({ timeline: rows, startedAt, endedAt, madeAt }: RunReport): Markup {
  const from = Math.min(startedAt, ...rows.map((row) => row.from));
  const to = Math.max(from + 1, endedAt ?? madeAt, ...rows.map((row) => row.to ?? madeAt));
  const percent = (ms: number): string => ((100 * ms) / (to - from)).toFixed(3);
  const left = (at: number): string => percent(Math.min(Math.max(at, from), to) - from);
  const span = (one: { from: number; to: number | null }): string =>
    `left:${left(one.from)}%;width:${percent(Math.max(0, Math.min(one.to ?? madeAt, to) - one.from))}%`;
  const titleOf = (label: string, one: { from: number; to: number | null }): string =>
    `${label}, ${timeText(one.from)}, ${one.to === null ? 'still' : formatDuration(one.to - one.from)}`;
  const rowOf = ({ label, status, stages, work, polls, marks }: TimelineRow): Markup => {
    return markup`<div class="row"><span>${label}<br><span class="dim">${status}, ${counted(polls.length, 'poll')}</span></span><div class="track">${[
      thinned(stages).map(
        (one) =>
          markup`<i class="stage ${toneOf(one.label)}" style="${span(one)}" title="${titleOf(one.label, one)}"></i>`,
      ),
      thinned(work).map(
        (one) =>
          markup`<i class="work${one.error === null ? '' : ' bad'}" style="${span(one)}" title="${titleOf(one.label, one)}${one.error === null ? '' : `: ${one.error}`}"></i>`,
      ),
      thinned(polls).map(
        (at) => markup`<i class="poll" style="left:${left(at)}%" title="poll, ${timeText(at)}"></i>`,
      ),
      marks.map(
        ({ at, kind, label: what }) =>
          markup`<i class="mark ${kind}" style="left:${left(at)}%" title="${what}, ${timeText(at)}"></i>`,
      ),
    ]}</div></div>
`;
  };
  const times = [0, 0.5, 1].map((part) => markup`<span>${timeText(from + part * (to - from))}</span>`);
  return markup`${rows.map(rowOf)}<div class="row dim"><span>UTC</span><div class="axis">${times}</div></div>`;
}

const [WIDTH, HEIGHT, BASE] = [600, 150, 120];

const COLUMNS = 24;

/** How many values lie in each of equal parts from `least` to the largest value. */
export function histogram(
  title: string,
  values: readonly number[],
  least: number,
  labelOf: (value: number) => string,
): Markup {
  if (values.length === 0) return markup`<p class="dim">${title}: nothing yet.</p>`;
  const most = values.reduce((a, b) => Math.max(a, b), least + 1);
  const size = (most - least) / COLUMNS;
  const counts = new Array<number>(COLUMNS).fill(0);
  for (const value of values) {
    const part = Math.max(0, Math.min(COLUMNS - 1, Math.floor((value - least) / size)));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  const highest = Math.max(...counts);
  const width = WIDTH / COLUMNS;
  const bars = counts.map((count, index) => {
    const height = (BASE - 14) * (count / highest);
    const [y, label] = [(BASE - height).toFixed(1), labelOf(least + index * size)];
    const range = `${label} to ${labelOf(least + (index + 1) * size)}`;
    return markup`<rect x="${index * width + 1}" y="${y}" width="${width - 2}" height="${height.toFixed(1)}"><title>${range}: ${count}</title></rect>`;
  });
  return markup`<figure><figcaption>${title}; the highest column is ${highest}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${bars}
<line x1="0" y1="${BASE}" x2="${WIDTH}" y2="${BASE}"/>
<text x="0" y="${BASE + 18}">${labelOf(least)}</text>
<text x="${WIDTH / 2}" y="${BASE + 18}" text-anchor="middle">${labelOf((least + most) / 2)}</text>
<text x="${WIDTH}" y="${BASE + 18}" text-anchor="end">${labelOf(most)}</text></svg></figure>
`;
}
