/** What is asked for with a transcript. */
import { problemsOfScope } from '../../api/scope';
import {
  type NotifyTarget,
  type PollSettings,
  type Scope,
  type SubtitleFormat,
  type WriteTarget,
} from '../../contract';
import { problemsOfTargets, problemsOfTranscription } from '../../validation/inputs';
import { problemsOfKey, problemsOfPoll } from './mediaSpec';

export interface TranscriptSpec {
  transcriptionId: string;
  /** `srt` unless told. */
  format?: SubtitleFormat;
  /** What makes it the same transcript. Without one: the transcription's id. */
  key?: string;
  scope?: Scope;
  poll?: Partial<PollSettings>;
  /** Where the subtitles are set in a project's data. */
  write?: WriteTarget;
  /** Who is told of the end, and when a person is needed. */
  notify?: NotifyTarget;
}

/** All problems at once, before anything is sent. */
export function problemsOfTranscript(spec: TranscriptSpec): string[] {
  return [
    ...problemsOfKey(spec.key),
    ...problemsOfTranscription(spec),
    ...problemsOfScope(spec.scope),
    ...problemsOfPoll(spec.poll),
    ...problemsOfTargets(spec),
  ];
}
