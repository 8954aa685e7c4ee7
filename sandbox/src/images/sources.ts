import sharp, { type Sharp } from 'sharp';
import { isLoopback } from '../loopback';

const LARGEST_SOURCE_BYTES = 20 * 1024 * 1024;
/** A file of a few bytes can decode to a picture that is too large for memory. */
const MOST_PIXELS = 25_000_000;
const FETCH_TIMEOUT_MS = 5_000;

/** Ends a task as FAILURE; the message is the task's `info`. */
export class SourceError extends Error {}

/**
 * The bytes of a source image. Only `data:` URLs, loopback addresses and the sandbox itself are read: a service that
 * fetched any address could be used to reach the network that it runs in.
 */
export async function loadSource(address: string, ownOrigin: string): Promise<Buffer> {
  const url = new URL(address);
  if (url.protocol !== 'data:' && url.origin !== ownOrigin && !isLoopback(url.hostname)) {
    throw new SourceError(
      `the sandbox reads no images from ${url.host || url.protocol}; give a data: URL, an address on loopback or one of its samples`,
    );
  }
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!response.ok)
      throw new SourceError(`the source image answers ${response.status}: ${shortened(address)}`);
    return await readAll(response);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(`the source image cannot be read: ${shortened(address)}`);
  }
}

/** Read in pieces, so that an endless source is stopped at the limit. */
async function readAll({ body }: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > LARGEST_SOURCE_BYTES) throw new SourceError('the source image is over 20 MiB');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The picture in a source, before any of it is decoded. */
export function openPicture(source: Buffer): Sharp {
  return sharp(source, { limitInputPixels: MOST_PIXELS });
}

/** For errors while a picture is decoded. */
export function notAnImage(what: string) {
  return ({ message }: Error): never => {
    const isTooLarge = message.includes('pixel limit');
    throw new SourceError(
      isTooLarge
        ? `the ${what} has more than ${MOST_PIXELS / 1_000_000} million pixels`
        : `the ${what} is not an image that can be read`,
    );
  };
}

function shortened(address: string): string {
  return address.length > 100 ? `${address.slice(0, 100)}…` : address;
}
