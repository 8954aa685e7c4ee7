/** One activity for each HTTP call. */
const { Pool } = require('undici');

const CONNECTIONS = 100;

exports.createActivities = function createActivities(apiUrl, apiKey) {
  const pool = new Pool(apiUrl, { connections: CONNECTIONS });
  const headers = { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' };

  async function call(method, path, body) {
    const answer = await pool.request({
      ...{ method, path: `/api/v1${path}`, headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} gave ${answer.statusCode}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  const addressOf = ({ resourcetype, id }) => `/projects/${resourcetype}/${id}`;

  return {
    submit: async (request) => (await call('POST', '/tools/remove-background', request)).task_id,
    poll: (taskId) => call('GET', `/tasks/${taskId}`),
    readProject: (project) => call('GET', addressOf(project)),
    patchProject: async (project, data) => void (await call('PATCH', addressOf(project), { data })),
    notify: async (notification) =>
      void (await call('POST', '/service/agent/notify', { category: 'agentTaskCompleted', ...notification })),
  };
};
