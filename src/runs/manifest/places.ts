/** Lines that write to the same place of the same project: what is written last replaces what was there. */
import { shorten } from '../../api/errors';
import { type BatchItem } from '../../contract';
import { type ManifestWarning } from './check';
import { type PlacedItem } from './cutting';
import { SeenKeys } from './keys';

/** As much of a place as a person reads. */
const LONGEST_PLACE = 200;

/** One warning for all of them, which names the first two. */
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
    const place = shorten(`${at} of ${project.resourcetype} ${project.id}`, LONGEST_PLACE);
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
