/** What is asked for with a wait for a record. */
import { type PollSettings, type RecordKind, type RecordStatus, type Scope } from '../../contract';
import { problemsOfRecordInput } from '../../validation/inputs';
import { problemsOfPoll } from './mediaSpec';

export interface RecordSpec {
  kind: RecordKind;
  id: string;
  /** Statuses that end the wait as failed, beside those that the service has for that. */
  failOn?: RecordStatus[];
  scope?: Scope;
  poll?: Partial<PollSettings>;
}

/** All problems at once, before anything is sent. */
export function problemsOfRecord(spec: RecordSpec): string[] {
  const { poll, ...asked } = spec;
  return [...problemsOfRecordInput(asked), ...problemsOfPoll(poll)];
}
