import { type ApiSettings } from '../api/client';
import { type ApiConfig } from '.';
import { VERSION } from '../platform/package';

/** What the configuration says of the service, in the words of its client. */
export function apiSettings(config: ApiConfig): ApiSettings {
  const { url, ...rest } = config;
  return { ...rest, baseUrl: url, userAgent: `segue/${VERSION}` };
}
