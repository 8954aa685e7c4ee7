import { type Download, type DownloadOrder, LONGEST_CALL_MS, type TranscriptProgress } from '../../contract';
import { downloadRequestId } from '../../contract/ids';
import { continueWhenLong } from './following';
import { type FollowingRecord } from './records';
import { enterStage } from './visibility';
import { watch } from './watch';

/** The file may come a little after the status that announces it; after this long it is empty. */
const EMPTY_GRACE_MS = 5 * 60_000;

export interface Downloading extends FollowingRecord {
  readonly progress: TranscriptProgress;
}

/** Downloads the file of a transcription that is done. An empty one is asked for again for a while. */
export function download(
  run: Downloading,
  asked: Pick<DownloadOrder, 'transcriptionId' | 'format'>,
): Promise<Download> {
  const { progress, input, subject } = run;
  // One that was overdue before it continued as new still is.
  if (!progress.hold) enterStage(run, 'downloading');
  return watch<Download>(run, {
    atOnce: true,
    // A text may be long, and may take its time.
    longestMs: LONGEST_CALL_MS,
    ask: ({ activities, n, pauseMs }) => {
      const requestId = downloadRequestId(subject.requestName, n);
      return activities.downloadSubtitles({ ...asked, scope: input.scope, requestId, pauseMs });
    },
    isOver: ({ ready }) => ready || isEmptyForGood(progress),
    // Its record is known; a file that is not there is waited for like one that is empty or cannot be had.
    onMissing: () => undefined,
    continueWhenLong: () => continueWhenLong(run),
    words: {
      overdue: 'is DONE, but its file could not be downloaded',
      givenUp: 'the service said DONE, but never gave its file',
    },
  });
}

function isEmptyForGood(progress: TranscriptProgress): boolean {
  progress.emptySince ??= new Date().toISOString();
  return Date.now() - Date.parse(progress.emptySince) >= EMPTY_GRACE_MS;
}
