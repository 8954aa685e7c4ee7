import { isLoopback } from '../../loopback';

const LARGEST_SOURCE_BYTES = 20 * 1024 * 1024;
const FETCH_TIMEOUT_MS = 5_000;

/** Ends a task as FAILURE; the message is the task's `info`. */
export class SourceError extends Error {}

/**
 * The bytes of a source image. Only `data:` URLs and loopback addresses are read: a service that fetched what it is
 * told would reach into the network it runs in.
 */
export async function loadSource(address: string): Promise<Buffer> {
  const url = new URL(address);
  if (url.protocol !== 'data:' && !isLoopback(url.hostname)) {
    throw new SourceError(
      `the sandbox reads no images from ${url.host || url.protocol}; give a data: URL, an address on loopback or one of its samples`,
    );
  }
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!response.ok)
      throw new SourceError(`the source image answers ${response.status}: ${shortened(address)}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (bytes.length > LARGEST_SOURCE_BYTES) throw new SourceError('the source image is over 20 MiB');
    return bytes;
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(`the source image cannot be read: ${shortened(address)}`);
  }
}

function shortened(address: string): string {
  return address.length > 100 ? `${address.slice(0, 100)}…` : address;
}
