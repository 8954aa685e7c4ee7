/** Subtitle files, as players read them. */
export interface Cue {
  /** In seconds. */
  start: number;
  end: number;
  text: string;
}

export function srt(cues: Cue[]): string {
  return cues
    .map((cue, index) => `${index + 1}\n${timing(cue, ',')}\n${lines(cue.text).join('\n')}\n`)
    .join('\n');
}

export function vtt(cues: Cue[]): string {
  const blocks = cues.map((cue) => `${timing(cue, '.')}\n${lines(cue.text).map(escaped).join('\n')}\n`);
  return ['WEBVTT\n', ...blocks].join('\n');
}

function timing({ start, end }: Cue, point: ',' | '.'): string {
  return `${clock(start, point)} --> ${clock(end, point)}`;
}

function clock(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1_000);
  const part = (value: number, digits = 2): string => String(Math.floor(value)).padStart(digits, '0');
  const time = [part(ms / 3_600_000), part((ms / 60_000) % 60), part((ms / 1_000) % 60)].join(':');
  return `${time}${point}${part(ms % 1_000, 3)}`;
}

/** A blank line would end the cue, and an arrow would begin another. */
function lines(text: string): string[] {
  const kept = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim().replaceAll('-->', '->'))
    .filter((line) => line !== '');
  return kept.length > 0 ? kept : ['…'];
}

function escaped(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
