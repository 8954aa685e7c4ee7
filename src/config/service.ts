import { type ApiSettings } from '../api/client';
import { Credential } from '../api/credential';
import { type ServiceLayout } from '../api/operation';
import { VERSION } from '../platform/package';
import { isLoopback, type ProxySettings } from '../platform/plainAgent';
import { type Settings } from './settings';

export interface ApiConfig {
  url: string;
  credential: Credential;
  organization?: string;
  space?: string;
  proxy: ProxySettings;
  layout: ServiceLayout;
}

export function apiSettings({ url, ...rest }: ApiConfig): ApiSettings {
  return { ...rest, baseUrl: url, userAgent: `segue/${VERSION}` };
}

export function readApi(settings: Settings): ApiConfig {
  return {
    url: readApiUrl(settings),
    credential: readCredential(settings),
    organization: settings.get('SEGUE_ORGANIZATION'),
    space: settings.get('SEGUE_SPACE'),
    proxy: readProxy(settings),
    layout: {
      projectPath: settings.get('SEGUE_PROJECT_PATH'),
      projectDataAt: settings.get('SEGUE_PROJECT_DATA_AT'),
      draftsAt: settings.get('SEGUE_DRAFTS_AT'),
      activityAt: settings.get('SEGUE_ACTIVITY_AT'),
      assetPath: settings.get('SEGUE_ASSET_PATH'),
      runPath: settings.get('SEGUE_RUN_PATH'),
      videoPath: settings.get('SEGUE_VIDEO_PATH'),
    },
  };
}

function readApiUrl(settings: Settings): string {
  if (!settings.text('SEGUE_API_URL'))
    settings.problem(
      'SEGUE_API_URL: not set; give the base address of the service, like https://api.example.com',
    );
  const url = settings.get('SEGUE_API_URL');
  if (!url) return '';
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && settings.get('SEGUE_ALLOW_HTTP') !== '1') {
    settings.problem(
      `SEGUE_API_URL: ${url.origin} would send the credential unencrypted; use https, or set SEGUE_ALLOW_HTTP=1`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readCredential(settings: Settings): Credential {
  const isKeySet = settings.text('SEGUE_API_KEY') !== undefined;
  const isTokenSet = settings.text('SEGUE_API_TOKEN') !== undefined;
  if (isKeySet && isTokenSet) settings.problem('SEGUE_API_KEY and SEGUE_API_TOKEN: both are set; keep one');
  if (!isKeySet && !isTokenSet)
    settings.problem('SEGUE_API_KEY or SEGUE_API_TOKEN: neither is set; the service needs one');
  const [key = '', token = ''] = [settings.get('SEGUE_API_KEY'), settings.get('SEGUE_API_TOKEN')];
  return isTokenSet ? Credential.bearer(token) : Credential.apiKey(key);
}

export function readProxy(settings: Settings): ProxySettings {
  const name = settings.text('HTTPS_PROXY') ? 'HTTPS_PROXY' : 'https_proxy';
  const proxy = settings.text(name);
  const isAddress = proxy !== undefined && URL.canParse(proxy) && /^https?:\/\/[^/]/.test(proxy);
  // Not repeated in the message: a proxy's address may hold its password.
  if (proxy !== undefined && !isAddress) {
    settings.problem(`${name}: is not an address, like http://proxy.example.com:3128`);
  }
  const none = settings.text('NO_PROXY') ?? settings.text('no_proxy');
  return { https: isAddress ? proxy : undefined, none };
}
