/** Addresses of manifests: which ones may be read, what messages call them, and reading one as a stream. */
import { type Dispatcher, request } from 'undici';
import { type ProxySettings } from '../../config';
import { InvalidInput, UnreachableAddress } from '../../errors';
import { isLoopback } from '../../platform/hosts';
import { MOST_REDIRECTIONS, PLAIN_HEADERS, plainAgent } from '../../platform/plainAgent';

/** An address without its query, which may be signed or secret, for messages. */
export function addressName(address: string): string {
  if (!URL.canParse(address)) return 'the address';
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

export function problemOfAddress(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return 'is not an address';
  if (url.username || url.password) return 'holds a user name or password; a signed address needs none';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return undefined;
  return 'must be an https address; plain http is for this machine only';
}

/** Without any data; the whole may take longer. */
const LONGEST_SILENCE_MS = 60_000;

const REDIRECTIONS = [301, 302, 303, 307, 308];

/** Throws if the address is not read to its end. */
export async function* readAddress(address: string, proxy: ProxySettings): AsyncGenerator<Uint8Array> {
  const problem = problemOfAddress(address);
  if (problem) throw new InvalidInput([`${addressName(address)}: ${problem}`], 'Nothing was read');
  const agent = plainAgent(proxy);
  try {
    yield* (await open(new URL(address), agent)).body;
  } catch (error) {
    throw new UnreachableAddress(addressName(address), reasonOf(error), error);
  } finally {
    await agent.destroy();
  }
}

async function open(
  url: URL,
  dispatcher: Dispatcher,
  left = MOST_REDIRECTIONS,
): Promise<Dispatcher.ResponseData> {
  const response = await request(url, {
    dispatcher,
    headers: PLAIN_HEADERS,
    headersTimeout: LONGEST_SILENCE_MS,
    bodyTimeout: LONGEST_SILENCE_MS,
  });
  const { statusCode, headers } = response;
  if (statusCode === 200) return response;
  const location = REDIRECTIONS.includes(statusCode) ? headers.location : undefined;
  if (typeof location !== 'string') throw new Error(`the answer is status ${statusCode}`);
  if (left === 0) throw new Error(`it redirects more than ${MOST_REDIRECTIONS} times`);
  await response.body.dump();
  return open(nextAddress(url, location), dispatcher, left - 1);
}

/** A redirect must not lead from https to http, nor from another machine to this one. */
export function nextAddress(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (!to) throw new Error('it redirects to what is no address');
  const isLessGuarded = from.protocol === 'https:' && to.protocol !== 'https:';
  const leadsHere = isLoopback(to.hostname) && !isLoopback(from.hostname);
  if (isLessGuarded || leadsHere || problemOfAddress(to.href) !== undefined)
    throw new Error(`it redirects to ${to.origin}, which is not followed`);
  return to;
}

/** Where a name has many addresses, the reasons are inside. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
