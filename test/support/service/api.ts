import { type Api, type ApiSettings, createApi } from '../../../src/api/client';
import { Credential } from '../../../src/api/credential';
import { PUBLISHED_LAYOUT } from '../../../src/config';

export const SECRET = 'a-very-secret-value';

/** A client of the service at `baseUrl`, with a credential that tests search for in logs and errors. */
export function testApi(baseUrl: string, settings: Partial<ApiSettings> = {}): Api {
  return createApi({
    baseUrl,
    credential: Credential.apiKey(SECRET),
    userAgent: 'segue/test',
    layout: PUBLISHED_LAYOUT,
    ...settings,
  });
}

export const ASK = { requestId: 'r-1', timeoutMs: 60_000 };
