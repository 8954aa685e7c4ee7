import { z } from 'zod';
import { isVisible } from '../access';
import { type Outcome } from '../images/pictures';
import { sampleUrls } from '../images/samples';
import { type Decision, defineOperation, notFound, type Service, text } from '../operation';
import { isOver } from '../pace';
import { type Task } from '../state';

/** The names of the states in between, and the shape of `info`, are the sandbox's own. */
const taskStatus = z
  .union([
    z.object({ status: z.enum(['PENDING', 'STARTED']), info: z.null() }),
    z.object({
      status: z.literal('SUCCESS'),
      info: z.object({ sandbox: z.literal(true), images: z.array(z.object({ url: z.string() })) }),
    }),
    z.object({
      status: z.literal('SUCCESS'),
      info: z.object({ sandbox: z.literal(true), submitted: z.literal(true) }),
    }),
    z.object({
      status: z.literal('FAILURE'),
      info: z.object({
        sandbox: z.literal(true),
        errors: z.array(z.string()),
        samples: z.array(z.string()),
      }),
    }),
  ])
  .meta({ id: 'TaskStatus' });

export const getTask = defineOperation({
  name: 'get-task',
  kind: 'read',
  method: 'GET',
  url: '/api/v1/tasks/{task_id}',
  summary: 'Poll a task',
  invented: 'states before the end, and the shape of `info`',
  path: z.object({ task_id: text }),
  answers: { 200: { description: 'How the task stands.', schema: taskStatus } },
  async handle({ path: { task_id }, caller }, service) {
    const { state } = service;
    const task = state.tasks.get(task_id);
    if (task && isVisible(task, caller)) return { ...(await pollTask(task, service)), taskId: task_id };
    for (const record of state.transcriptions.values()) {
      if (record.task_id === task_id && isVisible(record, caller)) return { ...submitted, taskId: task_id };
    }
    return { ...notFound('task'), taskId: task_id };
  },
});

/** The task of a transcription tracks only its submission, which is over long before the job. */
const submitted: Decision = {
  status: 200,
  body: { status: 'SUCCESS', info: { sandbox: true, submitted: true } },
};

async function pollTask(task: Task, service: Service): Promise<Decision> {
  const { state, pace, pictures, origin } = service;
  const known = state.tasksOver.get(task.id);
  if (known) return { status: 200, body: ending(task, known, origin()) };
  const polls = state.countRead(`task ${task.id}`);
  if (!isOver(pace, { polls, ageMs: Date.now() - Date.parse(task.submittedAt) })) {
    return { status: 200, body: { status: polls === 1 ? 'PENDING' : 'STARTED', info: null } };
  }
  const drawn = await pictures.outcome(task);
  // Another poll may have decided the end in the meantime; the first one counts.
  const outcome = state.tasksOver.get(task.id) ?? drawn;
  return {
    status: 200,
    body: ending(task, outcome, origin()),
    changes: [{ type: 'task-over', id: task.id, outcome }],
  };
}

function ending({ id }: Task, outcome: Outcome, origin: string): z.input<typeof taskStatus> {
  if (!outcome.ok) {
    return {
      status: 'FAILURE',
      info: { sandbox: true, errors: outcome.errors, samples: sampleUrls(origin) },
    };
  }
  const images = Array.from({ length: outcome.pictures }, (_unused, index) => ({
    url: `${origin}/results/${id}/${index}`,
  }));
  return { status: 'SUCCESS', info: { sandbox: true, images } };
}
