/** What transcripts and waits say of themselves, in Markdown. */
import { type TranscriptStage } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { type FollowingRecord, lastWordsOf } from './records';
import { endDetails, holdDetails, lines, troubleOf } from './words';

export function recordDetails(run: FollowingRecord, stage: TranscriptStage): string {
  const { progress, settings, subject } = run;
  const thing = `${subject.kind} \`${subject.id() ?? ''}\``;
  const pace = `asked every ${formatDuration(settings.pollMin)} to ${formatDuration(settings.pollMax)}`;
  switch (stage) {
    case 'polling':
      return lines(
        `Waiting for the service to end ${thing}; ${pace}. Nothing is to be done.`,
        ...(progress.status === null ? [] : [`Its status: ${progress.status}`]),
        ...troubleOf(run),
      );
    case 'overdue':
      return lines(holdDetails(run, thing), `What the service says: ${lastWordsOf(run)}.`);
    case 'downloading':
      return lines(
        `The service is done with ${thing}; its file is being downloaded, ${pace}. Nothing is to be done.`,
        ...troubleOf(run),
      );
    case 'writing':
    case 'notifying':
    case 'succeeded':
    case 'failed':
    case 'abandoned':
    case 'cancelled':
      return endDetails(run, stage);
  }
}
