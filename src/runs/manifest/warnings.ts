/** Warnings of good lines that are probably a mistake: one for all lines of a kind. */
import { truncate } from '../../api/json';
import { LARGEST_ANSWER_BYTES } from '../../api/exchange';
import { LARGEST_ITEM_INFO_BYTES } from '../../contract';
import { isRecord } from '../../validation/inputs';
import { type PlacedItem, SeenKeys, shortKey } from './partitions';

export interface ManifestWarning {
  /** How many lines it is about; of full projects, how many projects. */
  count: number;
  /** The first of them. */
  line: number;
  words: string;
}

/** As much of a place as a person reads. */
const LONGEST_PLACE = 200;

/** Signed addresses expire: the same file has another address tomorrow. */
const SIGNATURE =
  /^https?:\/\/[^#]*[?&](x-amz-signature|x-amz-credential|x-goog-signature|signature|sig|token|expires|se)=/i;

/** Half of what is read of a project: it has other data, too. */
const MOST_LINES_OF_PROJECT = LARGEST_ANSWER_BYTES / 2 / LARGEST_ITEM_INFO_BYTES;

interface Tally {
  count: number;
  line: number;
  /** What the warning names: the first place or project. */
  first: string;
}

/** Keeps no more of a line than short digests of its place and project. */
export class ManifestWarnings {
  readonly #places = new SeenKeys();
  readonly #linesOf = new Map<string, number>();
  #signed?: Tally;
  #taken?: Tally;
  #full?: Tally;

  look({ item, line, isNamed }: PlacedItem): void {
    if (!isNamed && looksSigned(item.request)) this.#signed = tally(this.#signed, line, '');
    const { write, scope } = item;
    if (!write) return;
    const { resourcetype, id } = write.project;
    // Spaces share the projects of their workspace.
    const project = [scope?.organization, resourcetype, id];
    const earlier = this.#places.take(JSON.stringify([...project, write.at]), line);
    if (earlier !== undefined) {
      const place = truncate(`${write.at} of ${resourcetype} ${id}`, LONGEST_PLACE);
      this.#taken = tally(this.#taken, line, `${place}, as line ${earlier} does`);
    }
    const key = shortKey(JSON.stringify(project));
    const lines = (this.#linesOf.get(key) ?? 0) + 1;
    this.#linesOf.set(key, lines);
    if (lines === MOST_LINES_OF_PROJECT + 1)
      this.#full = tally(this.#full, line, truncate(`${resourcetype} ${id}`, LONGEST_PLACE));
  }

  list(): ManifestWarning[] {
    return [
      ...warning(this.#signed, signedWords),
      ...warning(this.#taken, takenWords),
      ...warning(this.#full, fullWords),
    ];
  }
}

/** Whether any address in it looks signed. */
function looksSigned(value: unknown): boolean {
  if (typeof value === 'string') return SIGNATURE.test(value);
  if (Array.isArray(value)) return value.some(looksSigned);
  return isRecord(value) && Object.values(value).some(looksSigned);
}

function tally(before: Tally | undefined, line: number, first: string): Tally {
  return before ? { ...before, count: before.count + 1 } : { count: 1, line, first };
}

function warning(tallied: Tally | undefined, words: (tallied: Tally) => string): ManifestWarning[] {
  return tallied ? [{ count: tallied.count, line: tallied.line, words: words(tallied) }] : [];
}

function signedWords({ count }: Tally): string {
  const who =
    count === 1
      ? 'this line has no key, and an address that looks'
      : `${count} lines have no key, and addresses that look`;
  return `${who} signed: signed again, it is another job, which is run and paid for again; give each line a key`;
}

function takenWords({ count, first }: Tally): string {
  const others = count === 1 ? '' : ` (one of ${count} lines that write to a taken place)`;
  return `writes to ${first}${others}: what is written last replaces the other; give each line a place of its own`;
}

function fullWords({ count, first }: Tally): string {
  const others = count === 1 ? '' : ` (one of ${count} such projects)`;
  return (
    `over ${MOST_LINES_OF_PROJECT} lines write up to ${LARGEST_ITEM_INFO_BYTES / 1024} KiB each to ${first}${others}: Segue ` +
    `can neither read nor change a project of over ${LARGEST_ANSWER_BYTES / 1024 / 1024} MiB; give each line a project of its own`
  );
}
