/** Records whose path the document does not give: assets, workflow runs, videos. The sandbox made their paths up. */
import { z } from 'zod';
import { isVisible } from '../access';
import { defineOperation, notFound, type Operation, text } from '../operation';

const KINDS = {
  asset: { list: 'assets', field: 'status', status: z.int(), summary: 'Get an asset; 4 is done' },
  run: { list: 'runs', field: 'status', status: z.string(), summary: 'Get the status of a workflow run' },
  video: { list: 'videos', field: 'job_status', status: z.string(), summary: 'Get a video record' },
} as const;

/** The paths, as Segue's own settings take them. */
export const RECORD_PATHS = {
  asset: '/api/v1/sandbox/assets/{id}',
  run: '/api/v1/sandbox/runs/{id}',
  video: '/api/v1/sandbox/videos/{id}',
};

export const recordOperations: Operation[] = (['asset', 'run', 'video'] as const).map((kind) => {
  const { list, field, status, summary } = KINDS[kind];
  return defineOperation({
    name: `get-${kind}`,
    kind: 'read',
    method: 'GET',
    url: RECORD_PATHS[kind],
    summary,
    invented: 'its path',
    path: z.object({ id: text }),
    answers: {
      200: { description: 'The record.', schema: z.object({ id: z.string(), [field]: status }) },
    },
    handle({ path: { id }, caller }, { state }) {
      const record = state[list].get(id);
      if (!record || !isVisible(record, caller)) return notFound(kind);
      const written = state.jobsOver.get(`${kind} ${id}`);
      const read = state.countRead(`${kind} ${id}`);
      const current = written ?? record.statuses[Math.min(read, record.statuses.length) - 1];
      return { status: 200, body: { id, [field]: current } };
    },
  });
});
