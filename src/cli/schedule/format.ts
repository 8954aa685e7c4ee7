import { type FiringReport, type ScheduleEntry, type ScheduleReport } from '../../client/schedules/report';
import { timesInWords } from '../../runs/schedule/spec';
import { inZone, lines, table } from '../lib/format';

const COLUMNS = ['NAME', 'STARTS', 'WHEN', 'NEXT', 'LAST', 'STATE'];

export function scheduleRows(entries: ScheduleEntry[]): string[] {
  return table([COLUMNS, ...entries.map(rowOf)]);
}

function rowOf(entry: ScheduleEntry): string[] {
  const { name, kind, next, last } = entry;
  const zone = zoneOf(entry);
  const when = entry.spec ? timesInWords(entry.spec) : '';
  return [name, kind ?? '', when, inZone(next, zone), inZone(last, zone), stateOf(entry)];
}

export function detailLines(report: ScheduleReport): string[] {
  const zone = zoneOf(report);
  const { skipped, firings, target } = report;
  const when = report.spec ? `${timesInWords(report.spec)}, by the clock of ${zone}` : '';
  const skips = `${skipped.overlap} by overlap, ${skipped.catchup} after an outage, ${skipped.buffer} too many waiting`;
  return [
    ...table([
      ['name', report.name],
      ['starts', report.kind ?? ''],
      ...(target?.kind === 'batch' ? [['manifest', target.spec.manifest]] : []),
      ['when', when],
      ['state', stateOf(report)],
      ['overlap', report.overlap],
      ['catch-up', report.catchup],
      ['fired', String(report.fired)],
      ['skipped', skips],
    ]),
    ...['', report.paused ? 'Next times, were it not paused:' : 'Next times:'],
    ...(report.next.length > 0 ? report.next.map((time) => `  ${inZone(time, zone)}`) : ['  none']),
    ...['', 'Last firings:'],
    ...(firings.length > 0 ? firingLines(firings, zone) : ['  none']),
  ];
}

/** A row for each, then the other lines of its error, and the warnings of its manifest. */
function firingLines(firings: FiringReport[], zone: string): string[] {
  const rows = table(firings.map((firing) => ['', ...firingRow(firing, zone)]));
  return firings.flatMap(({ error, warnings }, index) => [
    rows[index] ?? '',
    ...(error ?? '')
      .split('\n')
      .slice(1)
      .map((line) => `    ${line}`),
    ...warnings.map((warning) => `    warning: ${warning}`),
  ]);
}

function firingRow(firing: FiringReport, zone: string): string[] {
  const { time, workflowId, status, error, digest } = firing;
  const remark = lines(digest !== null && `manifest ${digest}`, error?.split('\n')[0]);
  return [inZone(time, zone), workflowId ?? firing.firing, status ?? 'no longer known', remark.join('; ')];
}

function stateOf({ paused, note }: Pick<ScheduleEntry, 'paused' | 'note'>): string {
  const state = paused ? 'paused' : 'active';
  return note === null ? state : `${state}: ${note}`;
}

function zoneOf({ timezone }: Pick<ScheduleEntry, 'timezone'>): string {
  return timezone ?? 'UTC';
}
