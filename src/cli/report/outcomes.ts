/** What a report shows of a run besides its stages: subtitles, project changes, notifications, and the items of a batch. */
import { asList, isRecord, truncate } from '../../api/json';
import {
  type BatchInput,
  changedSignal,
  type ChunkOrder,
  type ChunkOutcome,
  type ItemCounts,
  type Notification,
  type NotifyChunkOrder,
  type NotifyOrder,
  type RequestChangesOrder,
  type TasksNews,
  type TranscriptResult,
} from '../../contract';
import { type RunHistory } from './history';
import { type BatchFigures, type Part, type RunReport } from './read';
import { redact } from './redact';

const LONGEST_STEPS = 2_000;
const LONGEST_SUBTITLES = 50_000;

export function subtitlesOf({ label, history: { workflowId, result } }: Part): RunReport['subtitles'] {
  if (!workflowId.startsWith('transcript/') || !isRecord(result)) return [];
  const { text } = result as Partial<TranscriptResult>;
  if (text === undefined) return [];
  const shown =
    typeof text === 'string' ? truncate(text, LONGEST_SUBTITLES) : `${text.size} bytes: ${text.fetch}`;
  return [{ of: label, text: shown }];
}

export function changesOf({ history: { activities, messages } }: Part): RunReport['changes'] {
  const outcomes = new Map<string, string>();
  const refuse = (refused: unknown): void => {
    const { changeId, error } = isRecord(refused) ? refused : {};
    if (typeof changeId === 'string' && typeof error === 'string')
      outcomes.set(changeId, `refused: ${error}`);
  };
  // Anybody may send a signal: malformed parts are ignored.
  for (const { name, argument } of messages) {
    if (name !== changedSignal.name) continue;
    const { applied, refused } = isRecord(argument) ? argument : {};
    for (const changeId of asList(applied))
      if (typeof changeId === 'string') outcomes.set(changeId, 'applied');
    asList(refused).forEach(refuse);
  }
  const asked = activities.filter(({ type }) => type === 'requestChanges');
  for (const { result } of asked) asList(result).forEach(refuse);
  const seen = new Set<string>();
  return asked.flatMap(({ from, input }) => {
    const { requests = [] } = (input ?? {}) as Partial<RequestChangesOrder>;
    return requests.flatMap(({ changeId, project, change }) => {
      if (!change || seen.has(changeId)) return [];
      seen.add(changeId);
      return {
        at: from,
        project: `${project.resourcetype}/${project.id}`,
        steps: truncate(JSON.stringify(redact(change)), LONGEST_STEPS),
        outcome: outcomes.get(changeId) ?? 'no answer',
      };
    });
  });
}

export function notificationsOf({ history: { activities } }: Part): RunReport['notifications'] {
  return activities.flatMap(({ type, from, to, input, result, error }) => {
    const rowOf = (notification: Partial<Notification> | undefined, answer: unknown) => {
      const { category = 'agentError', title = '', message = '' } = notification ?? {};
      const { outcome, reason } = isRecord(answer) ? answer : {};
      const state = typeof outcome === 'string' ? outcome : to === null ? 'being sent' : 'unknown';
      const detail = state === 'nobody' ? 'no operator is set' : typeof reason === 'string' ? reason : error;
      return { at: from, category, title, message, outcome: detail ? `${state}: ${detail}` : state };
    };
    if (type === 'notify' || type === 'notifyOperator')
      return [rowOf((input as Partial<NotifyOrder> | undefined)?.notification, result)];
    if (type !== 'notifyChunk') return [];
    const { notices = [] } = (input ?? {}) as Partial<NotifyChunkOrder>;
    const outcomes = asList(result);
    return notices.map(({ notification }, index) => rowOf(notification, outcomes[index]));
  });
}

export function batchFigures({ input }: RunHistory, parts: readonly Part[], info: unknown): BatchFigures {
  const { manifest } = (input ?? {}) as Partial<BatchInput>;
  const counts = isRecord(info) ? (info.counts as ItemCounts | undefined) : undefined;
  const read = parts.filter(({ history }) => history.workflowId.startsWith('batch-part/')).length;
  const figures: BatchFigures = {
    items: manifest?.items ?? 0,
    counts: counts ?? null,
    share: read / Math.max(1, manifest?.partitions.length ?? 0),
    ends: [],
    latencies: [],
  };
  for (const { history } of parts) {
    const submitted = new Map<number, number>();
    for (const { type, from, to, input: order, result } of history.activities) {
      if (type === 'submitChunk' && Array.isArray(result)) {
        const { submissions = [] } = (order ?? {}) as Partial<ChunkOrder>;
        for (const [index, { outcome }] of (result as ChunkOutcome[]).entries()) {
          const item = submissions[index]?.item;
          if (outcome === 'accepted' && item !== undefined) submitted.set(item, from);
        }
      }
      if (type !== 'pollTasks' || to === null) continue;
      for (const { item } of (result as Partial<TasksNews> | undefined)?.over ?? []) {
        figures.ends.push(to);
        const since = submitted.get(item);
        if (since !== undefined) figures.latencies.push(to - since);
      }
    }
  }
  return figures;
}
