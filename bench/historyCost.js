/** What runs cost in events and billable actions, counted as docs/cost.md says. */

/** Of everything that ran on a task queue since then: partitions, what continues them, writers of projects. */
async function costOfQueue(client, { taskQueue, since }, items) {
  const query = `TaskQueue = '${taskQueue}' AND StartTime >= '${since.toISOString()}'`;
  const cost = { events: 0, actions: 0, runs: 0, longest: 0 };
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const { events, actions } = costOf(await client.workflow.getHandle(workflowId, runId).fetchHistory());
    cost.runs += 1;
    cost.events += events / items;
    cost.actions += actions / items;
    cost.longest = Math.max(cost.longest, events);
  }
  return cost;
}

const BILLABLE = [
  'workflowExecutionStartedEventAttributes',
  'timerStartedEventAttributes',
  'activityTaskScheduledEventAttributes',
  'upsertWorkflowSearchAttributesEventAttributes',
  'workflowExecutionSignaledEventAttributes',
  'startChildWorkflowExecutionInitiatedEventAttributes',
  'signalExternalWorkflowExecutionInitiatedEventAttributes',
  'workflowExecutionUpdateAcceptedEventAttributes',
];

function costOf({ events }) {
  const tasksWithLocalActivities = new Set(
    events.flatMap(({ markerRecordedEventAttributes: marker }) =>
      marker?.markerName === 'core_local_activity' ? [String(marker.workflowTaskCompletedEventId)] : [],
    ),
  );
  const billable = events.filter((event) => BILLABLE.some((name) => event[name]));
  return { events: events.length, actions: billable.length + tasksWithLocalActivities.size };
}

module.exports = { costOfQueue };
