/** Warnings of good lines that are probably a mistake: one for all lines of a kind. */
import { truncate } from '../../api/json';
import { LARGEST_ANSWER_BYTES } from '../../api/exchange';
import { LARGEST_ITEM_INFO_BYTES, type WriteTarget } from '../../contract';
import { isRecord } from '../../validation/inputs';
import { type PlacedItem, SeenKeys, shortKey } from './partitions';

export interface ManifestWarning {
  /** How many lines it is about; of full projects, how many projects. */
  count: number;
  line: number;
  words: string;
}

/** In characters, of a project or a path in it. */
const LONGEST_TARGET = 200;

/** Signed addresses expire: the same file has another address tomorrow. */
const SIGNATURE =
  /^https?:\/\/[^#]*[?&](x-amz-signature|x-amz-credential|x-goog-signature|signature|sig|token|expires|se)=/i;

/** Half of what is read of a project: it has other data, too. */
const MOST_LINES_OF_PROJECT = LARGEST_ANSWER_BYTES / 2 / LARGEST_ITEM_INFO_BYTES;

const SIGNED =
  'has no key and an address that looks signed: signed again, it is another job, which is paid for again; ' +
  'give each line a key';

/** Keeps no more of a line than short digests of its project and path. */
export class ManifestWarnings {
  readonly #targets = new SeenKeys();
  readonly #linesOf = new Map<string, number>();
  readonly #warnings = new Map<'signed' | 'taken' | 'full', ManifestWarning>();

  look({ item, line, isNamed }: PlacedItem): void {
    if (!isNamed && looksSigned(item.request)) this.#warn('signed', line, SIGNED);
    const { write, scope } = item;
    if (!write) return;
    const { resourcetype, id } = write.project;
    // Spaces share the projects of their workspace.
    const project = [scope?.organization, resourcetype, id];
    const earlier = this.#targets.take(JSON.stringify([...project, write.at]), line);
    if (earlier !== undefined) this.#warn('taken', line, sameTarget(write, earlier));
    const key = shortKey(JSON.stringify(project));
    const lines = (this.#linesOf.get(key) ?? 0) + 1;
    this.#linesOf.set(key, lines);
    if (lines === MOST_LINES_OF_PROJECT + 1) this.#warn('full', line, fullProject(write));
  }

  #warn(kind: 'signed' | 'taken' | 'full', line: number, words: string): void {
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

function fullProject({ project: { resourcetype, id } }: WriteTarget): string {
  const project = truncate(`${resourcetype} ${id}`, LONGEST_TARGET);
  return (
    `over ${MOST_LINES_OF_PROJECT} lines write up to ${LARGEST_ITEM_INFO_BYTES / 1024} KiB each to ${project}: Segue cannot ` +
    `read or change a project of over ${LARGEST_ANSWER_BYTES / 1024 / 1024} MiB; give each line its own project`
  );
}
