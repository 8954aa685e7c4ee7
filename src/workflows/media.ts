import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { FAILURE, type MediaInput, type MediaResult, pollNowUpdate, stateQuery } from '../contract';
import { handleListeners } from './lib/listeners';
import { endOf, notifyEnd, resultOf, type Success, withCompletion, writeEnd } from './steps/finish';
import { handleDecisions, handleLateAnswers, taskRules } from './steps/hold';
import { MediaJob } from './steps/mediaJob';
import { handlePollNow, pollTask } from './steps/poll';
import { handleSending, submitOnce } from './steps/submit';
import { showStart } from './steps/visibility';

/** One media job: submit it once, poll its task until the service says it is over, write its result, notify its user. */
export async function media(input: MediaInput): Promise<MediaResult> {
  const job = start(input);
  return withCompletion(job, async () => {
    const end = await endOf(job, () => submitAndPoll(job));
    const written = await writeEnd(job, end); // by the project's writer: read, merge, PATCH
    const notified = await notifyEnd(job, end, written);
    return { ...resultOf(job, end), written, notified };
  });
}

type TaskResult = Omit<MediaResult, 'written' | 'notified'>;

async function submitAndPoll(job: MediaJob): Promise<Success<TaskResult>> {
  for (;;) {
    if (job.progress.taskId === null) await submitOnce(job); // held here while the outcome is unknown
    const task = await pollTask(job);
    if (task === 'lost') continue;
    if (task.status === 'FAILURE') throw taskFailed(job, task.info ?? null);
    return taskSucceeded(job, task.info ?? null);
  }
}

function taskSucceeded({ input: { key }, progress }: MediaJob, info: unknown): Success<TaskResult> {
  const { taskId, polls, submittedAt } = progress;
  const value = { key, taskId: taskId ?? '', info, finishedAt: new Date().toISOString() };
  return { value, result: { ...value, status: 'succeeded', polls, submittedAt } };
}

function taskFailed({ input, progress }: MediaJob, errors: unknown): ApplicationFailure {
  const taskId = progress.taskId;
  return ApplicationFailure.create({
    type: FAILURE.taskFailed,
    nonRetryable: true,
    message: `The service ended task ${taskId ?? ''} of job ${input.key} as FAILURE`,
    details: [{ key: input.key, taskId, errors }],
  });
}

function start(input: MediaInput): MediaJob {
  const job = new MediaJob(input);
  setHandler(stateQuery, () => job.describe(), {
    description: 'What this job is doing: stage, hold, task, attempts, polls.',
  });
  handleDecisions(job, taskRules(job));
  handleLateAnswers(job);
  handleSending(job);
  handlePollNow(job, pollNowUpdate, () => job.describe());
  handleListeners(job);
  showStart(job);
  return job;
}
