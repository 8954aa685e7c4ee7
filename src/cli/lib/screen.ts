/** A run as it goes: drawn in place on a terminal, told in plain lines anywhere else. */
import { clearScreenDown, moveCursor } from 'node:readline';
import { truncate } from '../../contract/text';
import { io, type Io, say } from './io';

export type Draw<State> = (state: State) => void;

/** How a run is shown. */
export interface Shown<State> {
  /** All that a terminal shows. */
  lines: (state: State) => string[];
  /** What those are told who read along, after what they were told before; nothing where that is not news. */
  news: (before: State | undefined, state: State) => string[];
}

/** What is said on the way goes to stderr, so that is what must be a terminal. */
export function watcher<State>(
  { lines, news }: Shown<State>,
  stream: Io['stderr'] = io().stderr,
): Draw<State> {
  return stream.isTTY ? drawer(lines, stream) : teller(news);
}

function teller<State>(newsOf: Shown<State>['news']): Draw<State> {
  let before: State | undefined;
  return (state) => {
    newsOf(before, state).forEach(say);
    before = state;
  };
}

function drawer<State>(linesOf: Shown<State>['lines'], stream: Io['stderr']): Draw<State> {
  let drawn = 0;
  return (state) => {
    if (drawn > 0) moveCursor(stream, 0, -drawn);
    clearScreenDown(stream);
    const lines = fitted(linesOf(state), stream);
    for (const line of lines) stream.write(`${line}\n`);
    drawn = lines.length;
  };
}

/** What is wider or higher than the terminal could not be drawn over. */
export function fitted(
  lines: string[],
  { columns = 80, rows = 24 }: Pick<Io['stderr'], 'columns' | 'rows'>,
): string[] {
  const most = Math.max(3, rows - 2);
  const shown =
    lines.length > most ? [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more lines`] : lines;
  return shown.map((line) => truncate(line, columns - 1));
}
