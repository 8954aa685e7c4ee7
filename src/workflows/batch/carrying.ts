/** What a batch hands over to its next run: one payload, which the server takes up to 2 MB, for all its partitions. */
import { type CarriedBatch, type CarriedStanding, type PartitionStanding } from '../../contract';
import { type Batch } from './run';

/** Of what one partition says, in bytes of JSON. */
const LONGEST_WORDS = 100;

export function carriedOf({ progress }: Pick<Batch, 'progress'>): CarriedBatch {
  return { ...progress, partitions: progress.partitions.map(shortened) };
}

/** What is nothing is left out. Nobody asks any more what one that is over waited for. */
function shortened({
  trouble,
  silence,
  late,
  stopped,
  counts,
  ...others
}: PartitionStanding): CarriedStanding {
  const words = {
    trouble: cutWords(trouble),
    // Where it submits nothing, that is what is told.
    silence: trouble === null ? cutWords(silence) : null,
    late: cutWords(late),
  };
  return {
    ...withoutNothing({ ...others, ...(others.isOver ? {} : words) }),
    counts: withoutNothing(counts),
    ...(stopped ? { stopped: { ...stopped, reason: cutWords(stopped.reason) } } : {}),
  };
}

/** As it was, but for words that were too long. */
export function takenOver({ counts, ...standing }: CarriedStanding): PartitionStanding {
  return {
    ...{ isThere: false, places: 0, trouble: null, late: null, isOver: false },
    ...standing,
    counts: { waiting: 0, running: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0, ...counts },
  };
}

function withoutNothing<T extends object>(all: T): Partial<T> {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => Boolean(value))) as Partial<T>;
}

const CUT = '…';

/** Between two characters: half of one is none. */
export function cutWords<Text extends string | null | undefined>(text: Text): Text | string;
export function cutWords(text: string | null | undefined): string | null | undefined {
  let [bytes, kept] = [0, ''];
  for (const character of text ?? '') {
    bytes += bytesOf(character);
    if (bytes > LONGEST_WORDS) return kept + CUT;
    if (bytes <= LONGEST_WORDS - bytesOf(CUT)) kept += character;
  }
  return text;
}

/** In JSON, as UTF-8; some characters are escaped there. */
function bytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  return Math.max(bytes, JSON.stringify(character).length - 2);
}
