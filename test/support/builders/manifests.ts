/** Manifests at an address, for tests: each read can give other content. */
import { type BatchItem } from '../../../src/contract';
import { type SmallService, startSmallService } from '../service/smallService';

export interface ManifestService {
  /** Its address, with a secret signature. */
  address: string;
  /** The same address as messages show it. */
  name: string;
  /** The requests that it got. */
  asked: string[];
  /** The answer to the next reads: lines, or a status of an error. */
  gives: (answer: string | number) => void;
  /** Delays the next reads until the returned function is called. */
  holdBack: () => () => void;
}

export const SIGNATURE = 'sig=not-for-your-eyes';
const PLACE = '/tonight.ndjson';

/** Called at the top of a test file. The returned object is filled in before each test. */
export function useManifests(): ManifestService {
  let answer: string | number = '';
  let untilGiven: Promise<void> = Promise.resolve();
  let service: SmallService | undefined;
  const manifests = {
    gives: (next: string | number) => {
      answer = next;
    },
    holdBack: () => {
      let release = (): void => undefined;
      untilGiven = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  } as ManifestService;
  beforeEach(async () => {
    untilGiven = Promise.resolve();
    service = await startSmallService({
      [`GET ${PLACE}`]: async () => {
        await untilGiven;
        return typeof answer === 'number' ? { status: answer, body: {} } : { text: answer };
      },
    });
    const { url, asked } = service;
    Object.assign(manifests, { name: url + PLACE, address: `${url}${PLACE}?${SIGNATURE}`, asked });
  });
  afterEach(async () => {
    await service?.stop();
  });
  return manifests;
}

export function manifestOf(items: BatchItem[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}
