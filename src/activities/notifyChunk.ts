import { type Api } from '../api/client';
import { type NotifyChunkOrder, type NotifyOutcome } from '../contract';
import { sendChunkOnce } from './atMostOnce/chunk';
import { type GuardOptions } from './atMostOnce/guards';

/** The notifications of several items, each to whom it names. */
export function createNotifyChunk(api: Api, guards: GuardOptions) {
  return function notifyChunk({ notices, runId }: NotifyChunkOrder): Promise<NotifyOutcome[]> {
    return sendChunkOnce(notices, runId, guards, ({ notification, requestId }, window) =>
      api.notify(notification, { requestId, ...window }),
    );
  };
}
