/** Progress of a run: drawn in place on a terminal, printed as lines elsewhere. */
import { clearScreenDown, moveCursor } from 'node:readline';
import { truncate } from '../../api/json';
import { io, type Io, say } from './io';

export interface Draw<State> {
  (state: State): void;
  /** Removes what is drawn: it is older than what the command prints next. */
  clear?: () => void;
}

export interface Shown<State> {
  lines: (state: State) => string[];
  news: (before: State | undefined, state: State) => string[];
}

/** Progress goes to stderr, so stderr must be the terminal. */
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
  const clear = (): void => {
    if (drawn > 0) moveCursor(stream, 0, -drawn);
    clearScreenDown(stream);
    drawn = 0;
  };
  const draw = (state: State): void => {
    clear();
    const lines = fitted(linesOf(state), stream);
    for (const line of lines) stream.write(`${line}\n`);
    drawn = lines.length;
  };
  return Object.assign(draw, { clear });
}

/** Lines that do not fit the terminal could not be overwritten. They are wrapped, or cut where there are too many. */
export function fitted(
  lines: string[],
  { columns = 80, rows = 24 }: Pick<Io['stderr'], 'columns' | 'rows'>,
): string[] {
  // Some terminals report a size of 0.
  const width = columns > 0 ? Math.max(1, columns - 1) : 79;
  const most = rows > 0 ? Math.max(3, rows - 2) : 22;
  const wrapped = lines.flatMap((line) => wrap(line, width));
  if (wrapped.length <= most) return wrapped;
  const shown =
    lines.length > most ? [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more lines`] : lines;
  return shown.map((line) => truncate(line, width));
}

function wrap(line: string, columns: number): string[] {
  if (line.length <= columns) return [line];
  const space = line.lastIndexOf(' ', columns);
  const end = space > 0 ? space : columns;
  return [line.slice(0, end), ...wrap(line.slice(end).trimStart(), columns)];
}
