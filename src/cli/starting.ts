/** What `run` and `start` do and say until the job is there. */
import { loadStarterConfig } from '../config';
import { formatDuration } from '../contract/durations';
import { isGivenKey, submitTaskQueue } from '../contract/ids';
import { type MediaJob } from '../client/jobs/job';
import { type Run } from '../client/run';
import { type MediaSpec } from '../runs/media';
import { withAdvice } from './advice';
import { followCommand, word } from './commandLine';
import { type Connected, withTemporal } from './connect';
import { EXIT, type ExitCode } from './exit';
import { print, printJson, say } from './print';
import { describeWatching } from './watching';
import { env } from './io';

/** Starts the job, or the one that repeats it, and goes on with it. */
export async function withStartedJob(
  spec: MediaSpec,
  { again }: { again?: boolean },
  work: (job: MediaJob, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = loadStarterConfig(env());
  return withTemporal(async (connected) => {
    const { media } = connected.segue(config);
    const job = again
      ? await media.again(spec).catch((error: unknown) => {
          throw withAdvice(error);
        })
      : await media.start(spec);
    await sayWhatIsUnusual(job, connected);
    return work(job, connected);
  });
}

/** For an order that does not wait. */
export async function tellStarted(
  job: Run,
  { config }: Connected,
  { json }: { json?: boolean },
): Promise<ExitCode> {
  if (json) {
    printJson(job.existing ? await job.report() : job.started());
  } else {
    print(job.workflowId);
    for (const line of describeWatching(config, job, followCommand(job))) say(line);
  }
  return EXIT.done;
}

export async function sayWhatIsUnusual(job: MediaJob, connected: Connected): Promise<void> {
  if (job.existing) {
    // Of the key that was typed, --again gives this same run once more.
    const flag = isGivenKey(job.key) ? '--again, or ' : '';
    const again = `To run it again and pay for it again: ${flag}segue retry ${word(job.key)} --again`;
    await sayThatItExists(
      job,
      (isOver) => `Nothing is submitted again. ${isOver ? again : 'Another key is another job.'}`,
    );
  }
  await sayWhenNobodyPolls(connected, job.taskQueue, submitTaskQueue(job.taskQueue));
}

/** `meaning` is what follows from that, for a job that is over or not. */
export async function sayThatItExists(job: Run, meaning: (isOver: boolean) => string): Promise<void> {
  const age = formatDuration(Date.now() - job.startedAt.getTime());
  const { status } = await job.report();
  const isOver = !['running', 'held'].includes(status);
  say(`${job.workflowId} exists: started ${age} ago, ${status}. ${meaning(isOver)}`);
}

/** `submitQueue` is where the POSTs of what was started are sent from, if it sends any. */
export async function sayWhenNobodyPolls(
  { temporal }: Connected,
  taskQueue: string,
  submitQueue?: string,
): Promise<void> {
  const { pollersOf } = await import('../client/pollers.js');
  const queues = [
    { name: taskQueue, type: 'workflow' as const },
    ...(submitQueue ? [{ name: submitQueue, type: 'activity' as const }] : []),
  ];
  for (const { name, type } of queues) {
    if ((await pollersOf(temporal, name, type)).length > 0) continue;
    say(
      `No worker polls the task queue "${name}": the work waits until you start one with \`segue worker\`.`,
    );
    return;
  }
}
