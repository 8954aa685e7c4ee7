/** Saves or reads the content of a URL. No credential is ever sent, because a result may be on any host. */
import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type TransformCallback } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { interceptors, request } from 'undici';
import { type ProxySettings } from './hosts';
import { MOST_REDIRECTIONS, PLAIN_HEADERS, plainAgent } from './plainAgent';

export interface DownloadLimits {
  bytes: number;
  ms: number;
}

export const DOWNLOAD_LIMITS: DownloadLimits = { bytes: 512 * 1024 * 1024, ms: 10 * 60_000 };

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'text/vtt': 'vtt',
  'text/plain': 'txt',
};

const OTHER = 'bin';

export interface Saved {
  path: string;
  /** The file was there before, and is unchanged. */
  existed: boolean;
}

/**
 * Saves it in the folder under this name, with the extension of its content type, or throws. Where there is a file of
 * this name nothing is requested: its URL may have expired.
 */
export async function download(
  url: string,
  folder: string,
  name: string,
  proxy: ProxySettings,
  limits = DOWNLOAD_LIMITS,
): Promise<Saved> {
  requireHttp(url);
  const before = savedBefore(folder, name);
  if (before !== undefined) return { path: before, existed: true };
  return withAnswer(url, proxy, limits.ms, async (type, body) => {
    const file = path.join(folder, `${name}.${EXTENSIONS[type] ?? OTHER}`);
    await saveWhole(body, file, limits.bytes);
    return { path: file, existed: false };
  });
}

/** The content of a URL, if its type is one of these. */
export async function readContent(
  url: string,
  types: readonly string[],
  proxy: ProxySettings,
  limits: DownloadLimits,
): Promise<{ type: string; content: Buffer }> {
  requireHttp(url);
  return withAnswer(url, proxy, limits.ms, async (type, body) => {
    if (!types.includes(type)) throw new Error(`its type is ${type || 'not given'}`);
    return { type, content: await pipeline(body, atMost(limits.bytes), (chunks) => buffer(chunks)) };
  });
}

function requireHttp(url: string): void {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new Error('it is not an http or https address');
}

async function withAnswer<T>(
  url: string,
  proxy: ProxySettings,
  ms: number,
  take: (type: string, body: NodeJS.ReadableStream) => Promise<T>,
): Promise<T> {
  const agent = plainAgent(proxy);
  try {
    const response = await request(url, {
      dispatcher: agent.compose(interceptors.redirect({ maxRedirections: MOST_REDIRECTIONS })),
      headers: PLAIN_HEADERS,
      signal: AbortSignal.timeout(ms),
    });
    if (response.statusCode !== 200) throw new Error(`the answer is status ${response.statusCode}`);
    const type = String(response.headers['content-type'] ?? '').split(';')[0] ?? '';
    return await take(type.trim().toLowerCase(), response.body);
  } finally {
    await agent.destroy();
  }
}

function savedBefore(folder: string, name: string): string | undefined {
  const extensions = [...Object.values(EXTENSIONS), OTHER];
  return extensions
    .map((extension) => path.join(folder, `${name}.${extension}`))
    .find((file) => existsSync(file));
}

/** The file has its own name only when it is complete. */
async function saveWhole(body: NodeJS.ReadableStream, file: string, bytes: number): Promise<void> {
  const part = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}.part`);
  try {
    await pipeline(body, atMost(bytes), createWriteStream(part, { flags: 'wx' }));
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

function atMost(bytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
      seen += chunk.length;
      if (seen > bytes) done(new Error(`it has more than ${bytes} bytes`));
      else done(null, chunk);
    },
  });
}
