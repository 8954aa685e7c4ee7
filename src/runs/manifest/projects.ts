/** Projects that would grow so large that nobody could read or change them any more. */
import { LARGEST_ANSWER_BYTES } from '../../api/exchange';
import { shorten } from '../../api/errors';
import { LARGEST_ITEM_INFO_BYTES } from '../../contract';
import { type ManifestWarning } from './check';
import { type PlacedItem } from './cutting';
import { shortKey } from './keys';

/** Half of what is read of a project: it has other data, too. */
const MOST_BYTES = LARGEST_ANSWER_BYTES / 2;
const LONGEST_NAME = 200;

/** One warning for all of them, which names the first. */
export class FullProjects {
  readonly #lines = new Map<string, number>();
  #count = 0;
  #first: { line: number; key: string; name: string } | undefined;

  look({ item: { write, scope }, line }: PlacedItem): void {
    if (!write) return;
    const { resourcetype, id } = write.project;
    // Spaces share the projects of their workspace.
    const key = shortKey(JSON.stringify([scope?.organization, resourcetype, id]));
    const lines = (this.#lines.get(key) ?? 0) + 1;
    this.#lines.set(key, lines);
    if (!isOverMost(lines) || isOverMost(lines - 1)) return;
    this.#count += 1;
    this.#first ??= { line, key, name: shorten(`${resourcetype} ${id}`, LONGEST_NAME) };
  }

  warnings(): ManifestWarning[] {
    if (!this.#first) return [];
    const { line, key, name } = this.#first;
    const lines = this.#lines.get(key) ?? 0;
    const more = this.#count - 1;
    const others = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'project' : 'projects'} get as much)`;
    const words =
      `${lines} lines write to ${name}${others}, up to ${LARGEST_ITEM_INFO_BYTES / 1024} KiB each and ` +
      `${mib(lines * LARGEST_ITEM_INFO_BYTES)} MiB in all: Segue can neither read nor change a project of over ` +
      `${mib(LARGEST_ANSWER_BYTES)} MiB; give each line a project of its own`;
    return [{ count: this.#count, line, words }];
  }
}

function isOverMost(lines: number): boolean {
  return lines * LARGEST_ITEM_INFO_BYTES > MOST_BYTES;
}

function mib(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}
