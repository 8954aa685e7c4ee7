import { Credential } from '../api/credential';
import { PROJECT_PATH, type ServiceLayout } from '../api/operation';
import { isLoopback } from '../platform/loopback';
import { type ProxySettings } from '../platform/plainAgent';
import { type Settings } from './settings';

export interface ApiConfig {
  url: string;
  credential: Credential;
  organization?: string;
  space?: string;
  proxy: ProxySettings;
  layout: ServiceLayout;
}

/** The document's own paths and places, taken as they are. */
export const PUBLISHED_LAYOUT: ServiceLayout = { projectPath: PROJECT_PATH, projectDataAt: '/data' };

export function readApi(settings: Settings): ApiConfig {
  return {
    url: readApiUrl(settings),
    credential: readCredential(settings),
    organization: settings.headerValue('SEGUE_ORGANIZATION'),
    space: settings.headerValue('SEGUE_SPACE'),
    proxy: readProxy(settings),
    layout: readLayout(settings),
  };
}

/** What the API's document leaves open. */
function readLayout(settings: Settings): ServiceLayout {
  return {
    projectPath:
      settings.pathTemplate('SEGUE_PROJECT_PATH', ['resourcetype', 'id']) ?? PUBLISHED_LAYOUT.projectPath,
    projectDataAt: settings.pointer('SEGUE_PROJECT_DATA_AT') ?? PUBLISHED_LAYOUT.projectDataAt,
    draftsAt: settings.pointer('SEGUE_DRAFTS_AT'),
    activityAt: settings.pointer('SEGUE_ACTIVITY_AT'),
    assetPath: settings.pathTemplate('SEGUE_ASSET_PATH', ['id']),
    runPath: settings.pathTemplate('SEGUE_RUN_PATH', ['id']),
    videoPath: settings.pathTemplate('SEGUE_VIDEO_PATH', ['id']),
  };
}

function readApiUrl(settings: Settings): string {
  const text = settings.text('SEGUE_API_URL');
  if (!text) {
    settings.problem(
      'SEGUE_API_URL: not set; give the base address of the service, like https://api.example.com',
    );
    return '';
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    settings.problem(`SEGUE_API_URL: "${text}" is not an http or https address`);
    return '';
  }
  if (url.username || url.password) {
    settings.problem(
      'SEGUE_API_URL: holds a user name or password; credentials go into SEGUE_API_KEY or SEGUE_API_TOKEN',
    );
  }
  if (url.search || url.hash) {
    settings.problem('SEGUE_API_URL: has a query or fragment; give only the base address');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && settings.text('SEGUE_ALLOW_HTTP') !== '1') {
    settings.problem(
      `SEGUE_API_URL: ${url.origin} would send the credential unencrypted; use https, or set SEGUE_ALLOW_HTTP=1`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readCredential(settings: Settings): Credential {
  const key = settings.text('SEGUE_API_KEY');
  const token = settings.text('SEGUE_API_TOKEN');
  if (key && token) settings.problem('SEGUE_API_KEY and SEGUE_API_TOKEN: both are set; keep one');
  if (!key && !token)
    settings.problem('SEGUE_API_KEY or SEGUE_API_TOKEN: neither is set; the service needs one');
  for (const [name, secret] of Object.entries({ SEGUE_API_KEY: key, SEGUE_API_TOKEN: token })) {
    // The value itself must not be repeated in the message.
    if (secret && !/^[\x21-\x7e]+$/.test(secret)) {
      settings.problem(`${name}: holds a blank or a character that an HTTP header cannot carry`);
    }
  }
  return token ? Credential.bearer(token) : Credential.apiKey(key ?? '');
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
