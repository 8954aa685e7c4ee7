import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import {
  FAILURE,
  MEDIA_REQUEST_WORKFLOW,
  type MediaInput,
  type MediaResult,
  type MediaState,
  pollNowUpdate,
  stateQuery,
} from '../contract';
import { mediaWorkflowId } from '../contract/ids';
import { handleLateAnswers, taskRules } from './steps/adoption';
import { handleDecisions } from './steps/decisions';
import { endingWell, type Success } from './steps/ending';
import { pollUntilDone } from './steps/poll';
import { describeRun, type Run, startRun } from './steps/progress';
import { handleListeners } from './lib/reporting';
import { readSettings } from './steps/settings';
import { handleSending } from './steps/sending';
import { showStart } from './steps/visibility';
import { refusePlainStart, refuseUnsafeStart } from './steps/start';
import { submitOnce } from './steps/submit';
import { handlePollNow } from './steps/watch';

/** One media job: submit it once, poll its task until the service says it is over, keep its result and tell its user. */
export async function media(input: MediaInput): Promise<MediaResult> {
  const settings = readSettings(input);
  refuseUnsafeStart(input.key, mediaWorkflowId(input.key), input);
  refusePlainStart(
    input.key,
    `Start the workflow ${MEDIA_REQUEST_WORKFLOW} with the same input, under any workflow id; if the job never ran, ` +
      'also with another key, because this run has taken its workflow id',
  );

  const run = startRun(input, settings, CancellationScope.current());
  const describe = (): MediaState => describeRun(run);
  setHandler(stateQuery, describe, {
    description: 'What this job is doing: stage, hold, task, attempts, polls.',
  });
  handleDecisions(run, taskRules(run));
  handleLateAnswers(run);
  handleSending(run);
  handlePollNow(run, pollNowUpdate, describe);
  handleListeners(run);
  showStart(run);

  return endingWell(run, () => runJob(run));
}

async function runJob(run: Run): Promise<Success<JobResult>> {
  for (;;) {
    if (run.progress.taskId === null) await submitOnce(run);
    const end = await pollUntilDone(run);
    if (end === 'lost') continue;
    if (end.status === 'FAILURE') throw taskFailed(run, end.info ?? null);
    return resultOf(run, end.info ?? null);
  }
}

type JobResult = Omit<MediaResult, 'written' | 'notified'>;

function resultOf({ input: { key }, progress }: Run, info: unknown): Success<JobResult> {
  const { taskId, polls, submittedAt } = progress;
  const value = { key, taskId: taskId ?? '', info, finishedAt: new Date().toISOString() };
  return { value, result: { ...value, status: 'succeeded', polls, submittedAt } };
}

function taskFailed({ input, progress }: Run, errors: unknown): ApplicationFailure {
  const taskId = progress.taskId;
  return ApplicationFailure.create({
    type: FAILURE.taskFailed,
    nonRetryable: true,
    message: `The service ended task ${taskId ?? ''} of job ${input.key} as FAILURE`,
    details: [{ key: input.key, taskId, errors }],
  });
}
