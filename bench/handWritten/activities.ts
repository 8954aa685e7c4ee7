/** One activity for each HTTP call. */
import { activityInfo, getClient } from '@temporalio/activity';
import { type Dispatcher, Pool } from 'undici';

const CONNECTIONS = 100;

export interface Project {
  resourcetype: string;
  id: string;
}

export type Activities = ReturnType<typeof createActivities>;

export function createActivities(apiUrl: string, apiKey: string) {
  const pool = new Pool(apiUrl, { connections: CONNECTIONS });
  const headers = { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' };

  async function call(method: Dispatcher.HttpMethod, path: string, body?: unknown): Promise<unknown> {
    const answer = await pool.request({
      ...{ method, path: `/api/v1${path}`, headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} gave ${answer.statusCode}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  const addressOf = ({ resourcetype, id }: Project) => `/projects/${resourcetype}/${id}`;

  return {
    submit: async (request: object) =>
      ((await call('POST', '/tools/remove-background', request)) as { task_id: string }).task_id,
    poll: async (taskId: string) =>
      (await call('GET', `/tasks/${taskId}`)) as { status: string; info?: unknown },
    readProject: async (project: Project) => (await call('GET', addressOf(project))) as { data: object },
    patchProject: async (project: Project, data: object) => {
      await call('PATCH', addressOf(project), { data });
    },
    acquireLock: async (lock: string) => {
      const { taskQueue, workflowExecution } = activityInfo();
      await getClient().workflow.signalWithStart('projectLock', {
        ...{ taskQueue, workflowId: lock },
        ...{ signal: 'acquire', signalArgs: [workflowExecution?.workflowId] },
      });
    },
    notify: async (notification: object) => {
      await call('POST', '/service/agent/notify', { category: 'agentTaskCompleted', ...notification });
    },
  };
}
