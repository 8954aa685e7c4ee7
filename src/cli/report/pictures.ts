/** Pictures for a page that works offline: each becomes a part of it, as a data URL. */
import { isLargeInfo } from '../../api/condensed';
import { isRecord } from '../../api/json';
import { type ProxySettings } from '../../config';
import { type BatchItem, type MediaInput, type PartitionInput, type TasksNews } from '../../contract';
import { reasonOf } from '../../errors';
import { inParallel } from '../../platform/parallel';
import { linksIn } from '../../runs/links';
import { type RunHistory } from './history';

export interface Picture {
  /** The job. */
  of: string;
  when: 'before' | 'mask' | 'after';
  url: string;
  /** A data URL; null where there is none, and `note` says why. */
  source: string | null;
  note: string | null;
}

export interface PictureOptions {
  /** Whether pictures are downloaded. */
  pictures: boolean;
  proxy: ProxySettings;
}

const MEGABYTE = 1024 * 1024;
const MOST_PICTURES = 24;
const [LARGEST_PICTURE, LARGEST_ALL] = [2 * MEGABYTE, 16 * MEGABYTE];
const DOWNLOAD_MS = 15_000;
const AT_ONCE = 4;
const MOST_RESULTS = 6;
/** No SVG: a browser shows these without reading anything else. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'];
const INLINE = new RegExp(`^(${TYPES.join('|')});base64,[A-Za-z0-9+/]+={0,2}$`);

type Wanted = Pick<Picture, 'of' | 'when' | 'url'>;

export async function loadPictures(
  histories: readonly { label: string; history: RunHistory }[],
  { pictures, proxy }: PictureOptions,
): Promise<{ pictures: Picture[]; left: number }> {
  const wanted = histories.flatMap(({ label, history }) => picturesOf(label, history));
  let used = 0;
  const load = async (one: Wanted): Promise<Picture> => {
    const without = (note: string): Picture => ({ ...one, source: null, note: `left out: ${note}` });
    if (!pictures) return without('pictures were not asked for');
    if (used >= LARGEST_ALL) return without(`the pictures have ${LARGEST_ALL} bytes already`);
    try {
      const source = await sourceOf(one.url, proxy);
      used += source.length;
      return used > LARGEST_ALL
        ? without(`the pictures would have more than ${LARGEST_ALL} bytes`)
        : { ...one, source, note: null };
    } catch (error) {
      return without(reasonOf(error));
    }
  };
  const loaded = await inParallel(AT_ONCE, wanted.slice(0, MOST_PICTURES), load);
  return { pictures: loaded, left: Math.max(0, wanted.length - MOST_PICTURES) };
}

async function sourceOf(url: string, proxy: ProxySettings): Promise<string> {
  if (url.startsWith('data:')) {
    if (!INLINE.test(url.slice('data:'.length))) throw new Error('it is no picture');
    if (url.length > LARGEST_PICTURE) throw new Error(`it has more than ${LARGEST_PICTURE} bytes`);
    return url;
  }
  // Loaded only where something is downloaded.
  const { readContent } = await import('../../platform/download.js');
  const { type, content } = await readContent(url, TYPES, proxy, { bytes: LARGEST_PICTURE, ms: DOWNLOAD_MS });
  return `data:${type};base64,${content.toString('base64')}`;
}

/** Of a job: its input and its result. Of a partition: those of items that the service has ended. */
function picturesOf(label: string, { workflowId, input, result, activities }: RunHistory): Wanted[] {
  if (workflowId.startsWith('transcript/')) return [];
  if (!workflowId.startsWith('batch-part/')) {
    const { info, record } = isRecord(result) ? result : {};
    return [...before(label, input as Partial<MediaInput> | undefined), ...after(label, info ?? record)];
  }
  const { items = [] } = (input ?? {}) as Partial<PartitionInput>;
  const ended = activities.flatMap(({ type, result: news }) =>
    type === 'pollTasks' ? ((news as Partial<TasksNews> | undefined)?.over ?? []) : [],
  );
  return ended.slice(0, MOST_PICTURES).flatMap(({ item, info }) => {
    const asked = items[item];
    return asked ? [...before(asked.key, asked), ...after(asked.key, info)] : [];
  });
}

function before(of: string, asked: Partial<Pick<BatchItem, 'request'>> | undefined): Wanted[] {
  const { image_url, mask_url } = asked?.request ?? {};
  const urls = { before: image_url, mask: mask_url };
  return Object.entries(urls).flatMap(([when, url]) =>
    typeof url === 'string' ? [{ of, when: when as 'before' | 'mask', url }] : [],
  );
}

function after(of: string, info: unknown): Wanted[] {
  if (isLargeInfo(info)) return [];
  return linksIn(info, MOST_RESULTS).map((url) => ({ of, when: 'after', url }));
}
