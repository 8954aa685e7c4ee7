/** Manifests at an address, for tests: what is read there can be another thing each time. */
import { type BatchItem } from '../../../src/contract';
import { type SmallService, startSmallService } from '../service/smallService';

export interface ManifestService {
  /** Its address, with a signature that nobody else may see. */
  address: string;
  /** The same as messages call it. */
  name: string;
  /** What was asked of it. */
  asked: string[];
  /** What the next readings give: lines, or a status that is none of success. */
  gives: (answer: string | number) => void;
  /** Holds the next readings back until it is called. */
  holdBack: () => () => void;
}

export const SIGNATURE = 'sig=not-for-your-eyes';
const PLACE = '/tonight.ndjson';

/** Called at the top of a test file. What is given back is filled in before each test. */
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
