import { continueAsNew } from '@temporalio/workflow';
import { type MediaRequestInput, type MediaResult } from '../contract';
import { isRecord } from '../validation/inputs';
import { untilRequestedEnds } from './lib/requests';
import { readMediaSettings } from './steps/mediaJob';

/**
 * A media job for starters that are not Segue's client: other languages, the `temporal` command, the UI. It starts the one
 * job of its key, or attaches to it, and gives that job's result. Cancelling the request does not cancel the job.
 */
export async function mediaRequest(input: MediaRequestInput): Promise<MediaResult> {
  // A request may have no key; everything else follows the rules of a job.
  readMediaSettings(isRecord(input) ? { ...input, key: input.key ?? 'none' } : input);
  const again = (): Promise<never> => continueAsNew<typeof mediaRequest>(input);
  return (await untilRequestedEnds({ kind: 'media', spec: input }, again)) as MediaResult;
}
