import { activityInfo, heartbeat } from '@temporalio/activity';
import { type Api } from '../api/client';
import { isTaskOver } from '../api/endings';
import { isMissing, StatusError } from '../api/errors';
import {
  HEARTBEAT_EVERY_MS,
  LARGEST_ITEM_INFO_BYTES,
  type PollTasksOrder,
  type TasksNews,
} from '../contract';
import { inParallel } from '../platform/parallel';
import { boundedInfo } from './size';

/** GETs on the wire for one partition. */
const AT_ONCE = 20;
const LONGEST_GET_MS = 10_000;
/** Tasks that are not asked after in time are asked after at the next poll. */
const MARGIN_MS = 5_000;
/** A service that gives no answer at all this often is not asked any more for now. */
const MOST_UNANSWERED = 3;

/** Asks after all tasks of a partition, each once. An error is no news; nothing here fails the poll. */
export function createPollTasks(api: Api) {
  return async function pollTasks({ tasks }: PollTasksOrder): Promise<TasksNews> {
    const [unanswered, unasked]: [number[], number[]] = [[], []];
    const news: TasksNews = { over: [], missing: [], known: [], trouble: null, unanswered, unasked };
    const askUntil = Date.now() + activityInfo().startToCloseTimeoutMs - MARGIN_MS;
    let silences = 0;
    const alive = setInterval(heartbeat, HEARTBEAT_EVERY_MS);
    try {
      await inParallel(AT_ONCE, tasks, async (task) => {
        const timeoutMs = Math.min(LONGEST_GET_MS, askUntil - Date.now());
        if (silences >= MOST_UNANSWERED || timeoutMs <= 0) {
          unasked.push(task.item);
          return;
        }
        try {
          await ask(api, task, timeoutMs, news);
          silences = 0;
        } catch (error) {
          if (isMissing(error)) news.missing.push(task.item);
          else news.trouble = error instanceof Error ? error.message : String(error);
          if (error instanceof StatusError) return;
          unanswered.push(task.item);
          silences += 1;
        }
      });
    } finally {
      clearInterval(alive);
    }
    return news;
  };
}

async function ask(
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
