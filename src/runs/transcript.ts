/** A transcript: what is asked for, what can be wrong with it, and how it is started once. */
import { type Client } from '@temporalio/client';
import { TRANSCRIPT_WORKFLOW, type TranscriptInput } from '../contract';
import { transcriptWorkflowId } from '../contract/ids';
import { attributesOfJob } from '../contract/searchAttributes';
import { assertValid } from '../errors';
import { digest } from '../platform/digest';
import { validatePoll, validateTranscriptSpec, withoutNulls } from '../validation/inputs';
import { type RunFacts } from './find';
import { normalizeScope } from './media';
import { startOrFind, type StartSettings } from './start';

export interface TranscriptSpec extends Pick<
  TranscriptInput,
  'transcriptionId' | 'format' | 'scope' | 'poll' | 'write' | 'notify'
> {
  /** What makes it the same transcript. Default: the transcription's id. */
  key?: string;
}

/** Starts it, or gives back the run that its key already has, running or closed. */
export async function startTranscript(
  temporal: Client,
  spec: TranscriptSpec,
  { taskQueue, poll }: StartSettings,
): Promise<RunFacts> {
  assertValid(validateTranscript(spec));
  const { transcriptionId, format = 'srt', key = transcriptionId, write, notify } = spec;
  return startTranscriptInput(temporal, taskQueue, {
    ...{ key, transcriptionId, format, scope: normalizeScope(spec.scope), write, notify },
    poll: { ...poll, ...withoutNulls(spec.poll ?? {}) },
  });
}

/** The same, for an input that is complete. */
export function startTranscriptInput(
  temporal: Client,
  taskQueue: string,
  input: TranscriptInput,
): Promise<RunFacts> {
  const { key } = input;
  return startOrFind(temporal, {
    workflow: TRANSCRIPT_WORKFLOW,
    workflowId: transcriptWorkflowId(key),
    ...{ taskQueue, key, input, identityOf },
    attributes: attributesOfJob({ ...input, tool: 'transcript' }, 'polling'),
    summary: `transcript for ${key}`,
  });
}

function identityOf({ transcriptionId, format = 'srt', scope, write, notify }: TranscriptInput): string {
  return digest({ transcriptionId, format, scope: normalizeScope(scope), write, notify });
}

export function validateTranscript(spec: TranscriptSpec): string[] {
  return [...validateTranscriptSpec(spec), ...validatePoll(spec.poll)];
}
