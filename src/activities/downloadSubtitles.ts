import { type Api } from '../api/client';
import { type Download, type DownloadOrder } from '../contract';
import { callOptions } from './calls';
import { activityFailure } from './failures';
import { pauseFirst } from './pause';
import { boundedText } from './size';

export interface DownloadOptions {
  /** Whether payloads of any size are kept outside the history. */
  keepLongTexts?: boolean;
}

/** One subtitle file, as long as a history can hold it; else what it was and how to get it. */
export function createDownloadSubtitles(api: Api, { keepLongTexts = false }: DownloadOptions) {
  return async function downloadSubtitles(order: DownloadOrder): Promise<Download> {
    pauseFirst(order);
    const { transcriptionId: id, format } = order;
    try {
      const subtitles = await api.getSubtitles(
        { id, requested_format: format },
        callOptions('downloadSubtitles', order),
      );
      if (!subtitles.ready) return subtitles;
      const fetch = `segue get subtitles ${id} --format ${format} --out FILE`;
      return { ready: true, ...boundedText(subtitles.text, fetch, { keepLong: keepLongTexts }) };
    } catch (error) {
      throw activityFailure(error);
    }
  };
}
