/** The activities of the poll queue, apart from `getTask`. */
import { activityInfo, heartbeat } from '@temporalio/activity';
import { type Api } from '../api/client';
import { endOf, isTaskOver } from '../api/endings';
import { isMissing, StatusError } from '../api/errors';
import {
  HEARTBEAT_EVERY_MS,
  LARGEST_ITEM_INFO_BYTES,
  type PollActivities,
  type PollTasksOrder,
  type RecordStatus,
  type TasksNews,
} from '../contract';
import { truncate } from '../api/json';
import { reasonOf } from '../errors';
import { inParallel } from '../platform/parallel';
import { oneCall } from './lib/calls';
import { boundedInfo, boundedText } from './lib/resultSize';

const AT_ONCE = 20;
const LONGEST_GET_MS = 10_000;
/** Tasks that are not polled in time are polled the next time. */
const MARGIN_MS = 5_000;
/** After this many calls without an answer the rest of the tasks is not polled this time. */
const MOST_UNANSWERED = 3;

/** Polls all tasks of a partition, each once. An error is "no news"; nothing here fails the poll. */
export function createPollTasks(api: Api): PollActivities['pollTasks'] {
  return async ({ tasks }) => {
    const notPolled: number[] = [];
    const news: TasksNews = { over: [], missing: [], known: [], trouble: null, notPolled };
    const pollUntil = Date.now() + activityInfo().startToCloseTimeoutMs - MARGIN_MS;
    let silences = 0;
    const heartbeats = setInterval(heartbeat, HEARTBEAT_EVERY_MS);
    try {
      await inParallel(AT_ONCE, tasks, async (task) => {
        const timeoutMs = Math.min(LONGEST_GET_MS, pollUntil - Date.now());
        if (silences >= MOST_UNANSWERED || timeoutMs <= 0) {
          notPolled.push(task.item);
          return;
        }
        try {
          await pollTask(api, task, timeoutMs, news);
          silences = 0;
        } catch (error) {
          if (isMissing(error)) news.missing.push(task.item);
          else news.trouble = reasonOf(error);
          if (!(error instanceof StatusError)) silences += 1;
        }
      });
    } finally {
      clearInterval(heartbeats);
    }
    return news;
  };
}

async function pollTask(
  api: Api,
  { item, taskId, scope, requestId }: PollTasksOrder['tasks'][number],
  timeoutMs: number,
  news: TasksNews,
): Promise<void> {
  const { status, info = null } = await api.getTask({ id: taskId }, { requestId, scope, timeoutMs });
  if (!isTaskOver(status)) news.known.push(item);
  else
    news.over.push({
      item,
      status: status === 'SUCCESS' ? 'SUCCESS' : 'FAILURE',
      info: boundedInfo(info, `segue get task ${taskId} --json`, LARGEST_ITEM_INFO_BYTES),
    });
}

/** Polls a record. Until its end only the status is returned: a history keeps every answer. */
export function createReadRecord(api: Api): PollActivities['readRecord'] {
  const { getTranscription, getVideo, getAsset, getRun } = api;
  const reads = { transcription: getTranscription, video: getVideo, asset: getAsset, run: getRun };
  return ({ kind, id, failOn, ...order }) =>
    oneCall('readRecord', order, async (options) => {
      const record = await reads[kind]({ id }, options);
      const isJob = kind === 'transcription' || kind === 'video';
      const full = (isJob ? record.job_status : record.status) as RecordStatus;
      const news = { status: typeof full === 'string' ? truncate(full) : full };
      if (endOf(kind, full, failOn) === undefined) return news;
      return { ...news, record: boundedInfo(record, `segue get ${kind} ${id} --json`) };
    });
}

export interface DownloadOptions {
  /** Whether payloads of any size are kept outside the history. */
  keepLongTexts?: boolean;
}

/** Downloads one subtitle file. A text that is too long for a history is left out, with how to fetch it. */
export function createDownloadSubtitles(
  api: Api,
  { keepLongTexts = false }: DownloadOptions,
): PollActivities['downloadSubtitles'] {
  return ({ transcriptionId: id, format, ...order }) =>
    oneCall('downloadSubtitles', order, async (options) => {
      const subtitles = await api.getSubtitles({ id, requested_format: format }, options);
      if (!subtitles.ready) return subtitles;
      const fetch = `segue get subtitles ${id} --format ${format} --out FILE`;
      return { ready: true, ...boundedText(subtitles.text, fetch, { keepLong: keepLongTexts }) };
    });
}
