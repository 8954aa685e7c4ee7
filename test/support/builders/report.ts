/** Reports for tests of their page. */
import { type RunReport } from '../../../src/cli/report/read';

export function emptyReport(): RunReport {
  const startedAt = Date.parse('2026-01-02T03:04:05Z');
  return {
    ...{ workflowId: 'media/k', key: 'k', status: 'running', stage: null, taskId: null, error: null },
    ...{ madeAt: startedAt + 60_000, startedAt, endedAt: null },
    ...{ timeline: [], pictures: [], subtitles: [], changes: [], notifications: [], batch: null, notes: [] },
  };
}

export const HOSTILE = `<script>window.ran = 1</script>"'><img src=x onerror="window.ran = 2">`;

/** Every text in it is markup that would run. */
export function hostileReport(): RunReport {
  const [text, at] = [HOSTILE, emptyReport().startedAt];
  const span = { from: at, to: at + 1_000, label: text, error: text };
  return {
    ...emptyReport(),
    ...{ workflowId: text, key: text, status: text as 'held', stage: text, taskId: text, error: text },
    timeline: [
      {
        ...{ ...span, status: text, stages: [span], work: [span], polls: [at] },
        marks: [{ at, kind: 'hold', label: text }],
      },
    ],
    pictures: [
      {
        of: text,
        when: 'before',
        url: `javascript:${text}`,
        source: `data:image/png;base64,${text}`,
        note: text,
      },
      { of: text, when: 'after', url: `https://a.example/${text}`, source: text, note: text },
    ],
    subtitles: [{ of: text, text }],
    changes: [{ at, project: text, steps: text, outcome: text }],
    notifications: [{ at, category: 'agentError', title: text, message: text, outcome: text }],
    batch: { items: 1, counts: { [text]: 1 } as never, ends: [at], latencies: [5], share: 1 },
    notes: [text],
  };
}
