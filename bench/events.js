/** Of everything that ran on a task queue since then: partitions, what continues them, writers of projects. */
async function countEvents(client, { taskQueue, since }) {
  const query = `TaskQueue = '${taskQueue}' AND StartTime >= '${since.toISOString()}'`;
  let events = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query }))
    events += (await client.workflow.getHandle(workflowId, runId).describe()).historyLength;
  return events;
}

module.exports = { countEvents };
