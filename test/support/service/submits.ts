/** A submit as tests send it, and the answer that accepts it. */
import { ASK, testApi } from './api';
import { answer } from './rawServer';

export const REQUEST = { image_url: 'https://example.com/a.png' };
export const ACCEPTED = answer('202 Accepted', '{"task_id":"t-1"}');

/** Sends one with a new client. */
export async function submit(
  url: string,
  options: Partial<Parameters<ReturnType<typeof testApi>['submit']>[2]> = {},
) {
  const api = testApi(url);
  try {
    return await api.submit('remove-background', REQUEST, {
      ...ASK,
      requestId: 'k.submit.1',
      ...options,
    });
  } finally {
    await api.close();
  }
}
