/** A campaign as it goes: drawn in place on a terminal, told in plain lines anywhere else. */
import { clearScreenDown, moveCursor } from 'node:readline';
import { type WriteStream } from 'node:tty';
import { type CampaignStatus } from '../../contract';
import { newsLines, statusLines } from './words';
import { say } from '../print';

export type Draw = (status: CampaignStatus) => void;

/** What is said on the way goes to stderr, so that is what must be a terminal. */
export function watcher(stream: WriteStream = process.stderr): Draw {
  return stream.isTTY ? drawer(stream) : teller();
}

function teller(): Draw {
  let before: CampaignStatus | undefined;
  return (status) => {
    for (const line of newsLines(before, status)) say(line);
    before = status;
  };
}

function drawer(stream: WriteStream): Draw {
  let drawn = 0;
  return (status) => {
    if (drawn > 0) moveCursor(stream, 0, -drawn);
    clearScreenDown(stream);
    const lines = fitted(statusLines(status), stream);
    for (const line of lines) stream.write(`${line}\n`);
    drawn = lines.length;
  };
}

/** What is wider or higher than the terminal could not be drawn over. */
export function fitted(lines: string[], { columns, rows }: Pick<WriteStream, 'columns' | 'rows'>): string[] {
  const most = Math.max(3, rows - 2);
  const shown =
    lines.length > most ? [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more lines`] : lines;
  return shown.map((line) => (line.length < columns ? line : `${line.slice(0, Math.max(1, columns - 2))}…`));
}
