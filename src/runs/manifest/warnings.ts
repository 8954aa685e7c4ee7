/** What in a manifest is good, but may not be meant so: one warning for all lines that are alike. */
import { truncate } from '../../api/json';
import { LARGEST_ANSWER_BYTES } from '../../api/exchange';
import { type BatchItem, LARGEST_ITEM_INFO_BYTES } from '../../contract';
import { isRecord } from '../../validation/inputs';
import { type PlacedItem, SeenKeys, shortKey } from './partitions';

export interface ManifestWarning {
  /** How many lines it is about. */
  count: number;
  /** The first of them. */
  line: number;
  words: string;
}

/** As much of a place as a person reads. */
const LONGEST_PLACE = 200;

/** Addresses that are signed for a while: the same file has another one tomorrow. */
const SIGNATURE =
  /^https?:\/\/[^#]*[?&](x-amz-signature|x-amz-credential|x-goog-signature|signature|sig|token|expires|se)=/i;

/** Whether any address in it looks signed. */
function looksSigned(value: unknown): boolean {
  if (typeof value === 'string') return SIGNATURE.test(value);
  if (Array.isArray(value)) return value.some(looksSigned);
  return isRecord(value) && Object.values(value).some(looksSigned);
}

export class SignedWithoutKey {
  #count = 0;
  #first = 0;

  look({ item, line, isNamed }: PlacedItem): void {
    if (isNamed || !looksSigned(item.request)) return;
    this.#count += 1;
    if (this.#count === 1) this.#first = line;
  }

  warnings(): ManifestWarning[] {
    const count = this.#count;
    if (count === 0) return [];
    const who =
      count === 1 ? 'this line has no key, and an address' : `${count} lines have no key, and addresses`;
    const words =
      `${who} that ${count === 1 ? 'looks' : 'look'} signed: ` +
      'signed again, it is another job, which is run and paid for again; give each line a key';
    return [{ count, line: this.#first, words }];
  }
}

/**
 * Lines that write to the same place of the same project: what is written last replaces what was there. One warning
 * for all of them, which names the first two.
 */
export class TakenPlaces {
  readonly #seen = new SeenKeys();
  #count = 0;
  #first: { line: number; earlier: number; place: string } | undefined;

  look({ item, line }: PlacedItem): void {
    const { write, scope } = item;
    if (!write) return;
    const earlier = this.#seen.take(placeOf(write, scope), line);
    if (earlier === undefined) return;
    this.#count += 1;
    const { project, at } = write;
    const place = truncate(`${at} of ${project.resourcetype} ${project.id}`, LONGEST_PLACE);
    this.#first ??= { line, earlier, place };
  }

  warnings(): ManifestWarning[] {
    if (!this.#first) return [];
    const { line, earlier, place } = this.#first;
    const more = this.#count - 1;
    const others =
      more === 0
        ? ''
        : ` (and ${more} more ${more === 1 ? 'line writes' : 'lines write'} to a place that is taken)`;
    const words =
      `writes to ${place}, as line ${earlier} does${others}: ` +
      'what is written last replaces the other; give each line a place of its own';
    return [{ count: this.#count, line, words }];
  }
}

/** Spaces share the projects of their workspace. A line that names none has the worker's, whichever that is. */
function placeOf({ project, at }: NonNullable<BatchItem['write']>, scope: BatchItem['scope']): string {
  return JSON.stringify([scope?.organization, project.resourcetype, project.id, at]);
}

/** Half of what is read of a project: it has other data, too. */
const MOST_BYTES = LARGEST_ANSWER_BYTES / 2;

/**
 * Projects that would grow so large that nobody could read or change them any more. One warning for all of them, which
 * names the first.
 */
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
    this.#first ??= { line, key, name: truncate(`${resourcetype} ${id}`, LONGEST_PLACE) };
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
