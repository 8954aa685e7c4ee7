/** A report as one HTML page that needs nothing else: no script, no request. */
import { type RunReport } from './read';
import { formatDuration } from '../../contract/durations';
import { counted } from '../lib/format';
import { histogram, timeline, timeText, toneOf } from './charts';
import { link, type Markup, markup } from './markup';
import { STYLE } from './style';

/** The browser itself refuses scripts and requests, whatever the page contains. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function page(report: RunReport): string {
  const { workflowId, status, stage, taskId, error, startedAt, endedAt, madeAt, notes } = report;
  const facts: [string, string | null][] = [
    ['started', `${timeText(startedAt)} UTC`],
    ['ended', endedAt === null ? 'not yet' : `${timeText(endedAt)} UTC`],
    ['took', formatDuration((endedAt ?? madeAt) - startedAt)],
    ['stage', stage],
    ['task', taskId],
  ];
  // The style sheet is the only part that is not escaped.
  const head = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<style>${STYLE}</style>
`;
  const body = markup`<title>${workflowId}: ${status}</title></head><body>
<header><h1>${workflowId} <span class="badge ${toneOf(status)}">${status}</span></h1>
${error !== null && markup`<p>${error}</p>`}
<dl>${facts.map(([name, value]) => value !== null && markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></header>
${report.batch && batchSection(report, report.batch)}
<section id="timeline"><h2>Timeline</h2>${timeline(report)}
<p class="dim">Wide bars are stages, thin bars are calls, ticks are polls. A tall mark is a hold (orange) or a decision (green).</p></section>
${eventsSection(report)}${picturesSection(report)}
${report.subtitles.map(({ of, text }) => markup`<section><h2>Subtitles of ${of}</h2><pre>${text || 'The file is empty.'}</pre></section>`)}
${tableSection(
  'changes',
  'Project changes',
  ['UTC', 'project', 'change', 'outcome'],
  report.changes.map(({ at, project, steps, outcome }) => [
    timeText(at),
    project,
    markup`<code>${steps}</code>`,
    outcome,
  ]),
)}
${tableSection(
  'notifications',
  'Notifications',
  ['UTC', 'category', 'text', 'outcome'],
  report.notifications.map(({ at, category, title, message, outcome }) => [
    timeText(at),
    category,
    markup`<b>${title}</b><br>${message}`,
    outcome,
  ]),
)}
${notes.length > 0 && markup`<section id="notes"><h2>Left out</h2>${notes.map((note) => markup`<p>${note}</p>`)}</section>`}
<footer class="dim"><p>Made by Segue at ${timeText(madeAt)} UTC. Addresses are shown without their queries, which may be signed.</p></footer>
</body></html>
`;
  return head + body.html;
}

function batchSection(
  { startedAt, endedAt, madeAt }: RunReport,
  batch: NonNullable<RunReport['batch']>,
): Markup {
  const { items, counts, ends, latencies, share } = batch;
  const sample = share < 1 ? ' (a sample)' : '';
  const sorted = latencies.toSorted((a, b) => a - b);
  const quantile = (part: number): string =>
    formatDuration(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
  const seconds = Math.max(1, ((endedAt ?? madeAt) - startedAt) / 1_000);
  return markup`<section id="batch"><h2>${counted(items, 'item')}</h2>
<dl>${Object.entries(counts ?? {}).map(([status, count]) => count > 0 && markup`<div><dt>${status}</dt><dd>${count}</dd></div>`)}
${ends.length > 0 && markup`<div><dt>tasks over</dt><dd>${(ends.length / share / seconds).toFixed(2)} a second${sample}</dd></div>`}
${sorted.length > 0 && markup`<div><dt>from submission to end</dt><dd>${quantile(0.5)} for half, ${quantile(0.95)} for 95 %</dd></div>`}</dl>
${histogram(`Tasks that were seen to be over, by time${sample}`, ends, startedAt, timeText)}
${histogram(`Tasks by time from submission to end${sample}`, latencies, 0, formatDuration)}</section>`;
}

const MOST_EVENTS = 200;

function eventsSection({ timeline: rows }: RunReport): Markup {
  const all = rows
    .flatMap(({ label, stages, marks }) => {
      // The mark of a hold says more than its stage.
      const isMarked = (from: number): boolean =>
        marks.some(({ kind, at }) => kind === 'hold' && at === from);
      const others = stages.filter(({ from }) => !isMarked(from));
      const told = [...others.map(({ from, label: what }) => ({ at: from, label: what })), ...marks];
      return told.map(({ at, label: what }) => ({ at, label, what }));
    })
    .sort((a, b) => a.at - b.at);
  return tableSection(
    'events',
    all.length > MOST_EVENTS ? `The first ${MOST_EVENTS} of ${all.length} events` : 'What happened',
    ['UTC', 'of', 'what'],
    all.slice(0, MOST_EVENTS).map(({ at, label, what }) => [timeText(at), label, what]),
  );
}

function picturesSection({ pictures }: RunReport): Markup {
  if (pictures.length === 0) return markup``;
  return markup`<section id="pictures"><h2>Pictures</h2><div class="pictures">${pictures.map(
    ({ of, when, url, source, note }) =>
      markup`<figure>${isPicture(source) && markup`<img src="${source}" alt="${of}, ${when}">`}
<figcaption>${of}, ${when}${note !== null && markup`<br>${note}`}<br>${link(url)}</figcaption></figure>
`,
  )}</div></section>`;
}

function isPicture(source: string | null): source is string {
  return source !== null && /^data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+$/.test(source);
}

function tableSection(id: string, title: string, head: string[], rows: (string | Markup)[][]): Markup {
  if (rows.length === 0) return markup``;
  return markup`<section id="${id}"><h2>${title}</h2><table><tr>${head.map((name) => markup`<th>${name}</th>`)}</tr>
${rows.map(
  (cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>
`,
)}</table></section>`;
}
