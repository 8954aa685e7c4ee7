/** Warnings of good lines that are probably a mistake: one for all lines of a kind. */
import { truncate } from '../../api/json';
import { type WriteTarget } from '../../contract';
import { isRecord } from '../../validation/inputs';
import { type PlacedItem, SeenKeys } from './partitions';

export interface ManifestWarning {
  /** How many lines it is about. */
  count: number;
  line: number;
  words: string;
}

/** In characters, of a project or a path in it. */
const LONGEST_TARGET = 200;

/** Signed addresses expire: the same file has another address tomorrow. */
const SIGNATURE =
  /^https?:\/\/[^#]*[?&](x-amz-signature|x-amz-credential|x-goog-signature|signature|sig|token|expires|se)=/i;

const SIGNED =
  'has no key and an address that looks signed: signed again, it is another job, which is paid for again; ' +
  'give each line a key';

/** Keeps no more of a line than a short digest of its project and path. */
export class ManifestWarnings {
  readonly #targets = new SeenKeys();
  readonly #warnings = new Map<'signed' | 'taken', ManifestWarning>();

  look({ item, line, isNamed }: PlacedItem): void {
    if (!isNamed && looksSigned(item.request)) this.#warn('signed', line, SIGNED);
    const { write, scope } = item;
    if (!write) return;
    const { resourcetype, id } = write.project;
    // Spaces share the projects of their workspace.
    const target = [scope?.organization, resourcetype, id, write.at];
    const earlier = this.#targets.take(JSON.stringify(target), line);
    if (earlier !== undefined) this.#warn('taken', line, sameTarget(write, earlier));
  }

  #warn(kind: 'signed' | 'taken', line: number, words: string): void {
    const first = this.#warnings.get(kind);
    if (first) first.count += 1;
    else this.#warnings.set(kind, { count: 1, line, words });
  }

  list(): ManifestWarning[] {
    return [...this.#warnings.values()].map(({ count, line, words }) => ({
      ...{ count, line },
      words: count === 1 ? words : `${words} (one of ${count} such lines)`,
    }));
  }
}

function looksSigned(value: unknown): boolean {
  if (typeof value === 'string') return SIGNATURE.test(value);
  if (Array.isArray(value)) return value.some(looksSigned);
  return isRecord(value) && Object.values(value).some(looksSigned);
}

function sameTarget({ at, project: { resourcetype, id } }: WriteTarget, earlier: number): string {
  const target = truncate(`${at} of ${resourcetype} ${id}`, LONGEST_TARGET);
  return `writes to ${target}, as line ${earlier} does: the last write replaces the other; give each line its own path`;
}
