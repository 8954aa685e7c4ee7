import { FAILURE, type MediaInput, type MediaResult } from '../contract';
import { endOf, notifyEnd, resultOf, runJob, type Success, writeEnd } from './steps/finish';
import { handleLateAnswers } from './steps/hold';
import { MediaJob } from './steps/mediaJob';
import { pollTask } from './steps/poll';
import { handleSending, submitOnce } from './steps/submit';

/** One media job: submit it once, poll its task until the service says it is over, write its result, notify its user. */
export async function media(input: MediaInput): Promise<MediaResult> {
  const job = new MediaJob(input);
  handleLateAnswers(job);
  handleSending(job);
  return runJob(job, async () => {
    const end = await endOf(job, () => submitAndPoll(job));
    const written = await writeEnd(job, end); // by the project's writer: read, merge, PATCH
    const notified = await notifyEnd(job, end, written);
    return { ...resultOf(job, end, written), written, notified };
  });
}

type TaskResult = Omit<MediaResult, 'written' | 'notified'>;

async function submitAndPoll(job: MediaJob): Promise<Success<TaskResult>> {
  for (;;) {
    if (job.progress.taskId === null) await submitOnce(job); // held here while the outcome is unknown
    const task = await pollTask(job);
    if (task === 'lost') continue;
    const { status, info = null } = task;
    if (status !== 'FAILURE') return taskSucceeded(job, info);
    const message = `The service ended task ${job.id ?? ''} of job ${job.input.key} as FAILURE`;
    throw job.failure(FAILURE.taskFailed, message, { errors: info });
  }
}

function taskSucceeded({ input: { key }, progress }: MediaJob, info: unknown): Success<TaskResult> {
  const { taskId, polls, submittedAt } = progress;
  const value = { key, taskId: taskId ?? '', info, finishedAt: new Date().toISOString() };
  return { value, result: { ...value, status: 'succeeded', polls, submittedAt } };
}
