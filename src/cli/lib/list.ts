/** What list commands print: rows for people, or one JSON object a line. */
import { NO_JOB } from '../../client/report';
import { print, printJson, say } from './print';
import { table } from './format';

export interface ListShape<Entry> {
  /** What they are called, in the plural. */
  noun: string;
  columns: string[];
  rowOf: (entry: Entry) => string[];
}

/** At most so many of them, and how many there are. */
export async function showList<Entry extends object>(
  { list, count }: { list: AsyncIterable<Entry>; count: () => Promise<number> },
  { limit, json }: { limit: number; json?: boolean },
  { noun, columns, rowOf }: ListShape<Entry>,
): Promise<void> {
  const found: Entry[] = [];
  for await (const entry of list) {
    if (found.push(entry) >= limit) break;
  }
  if (json) for (const entry of found) printJson({ ...NO_JOB, error: null, ...entry });
  else if (found.length > 0) for (const line of table([columns, ...found.map(rowOf)])) print(line);
  const total = found.length < limit ? found.length : Math.max(await count(), found.length);
  if (total === 0) say(`There are no such ${noun}.`);
  else
    say(
      total > found.length ? `${found.length} of ${total} ${noun}; --limit shows more` : `${total} ${noun}`,
    );
}
