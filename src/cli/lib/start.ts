/** How `run` and `start` of every noun start a run, and what they print about it. */
import { type Run } from '../../client/run';
import { type SegueClient } from '../../client/segueClient';
import { followCommand } from './advice';
import { type Connected, withSegue } from './connect';
import { EXIT, type ExitCode } from './exit';
import { age } from './format';
import { print, printJson, say } from './io';

export interface Starting<R extends Run> {
  start: (segue: SegueClient) => Promise<R>;
  /** What to say when the run exists already. */
  exists: (run: R) => string;
  /** The task queue of its POSTs, if it sends any. */
  submitQueue?: (taskQueue: string) => string;
}

/** Starts a run, or finds the existing run of the same key. */
export async function withStarted<R extends Run>(
  { start, exists, submitQueue }: Starting<R>,
  work: (run: R) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withSegue(async (segue, connected) => {
    const run = await start(segue);
    if (run.existing) await sayThatItExists(run, exists(run));
    await sayWhenNobodyPolls(connected, run.taskQueue, submitQueue?.(run.taskQueue));
    return work(run);
  });
}

export async function sayThatItExists(run: Run, meaning: string): Promise<void> {
  const { status } = await run.report();
  say(`${run.workflowId} exists: started ${age(run.startedAt.toISOString())} ago, ${status}. ${meaning}`);
}

/** For a command that does not wait. */
export async function tellStarted(
  run: Run,
  { json }: { json?: boolean },
  more: object = {},
): Promise<ExitCode> {
  if (json) printJson({ ...(run.existing ? await run.report() : run.started()), ...more });
  else {
    print(run.workflowId);
    say(`follow it: ${followCommand(run)}`);
  }
  return EXIT.done;
}

export async function sayWhenNobodyPolls(
  { temporal }: Connected,
  taskQueue: string,
  submitQueue?: string,
): Promise<void> {
  const { pollersOf } = await import('../../runs/pollers.js');
  const isPolled = async (queue: string, type: 'workflow' | 'activity'): Promise<boolean> =>
    (await pollersOf(temporal, queue, type)).length > 0;
  const advice = 'the work waits until you start one with `segue worker`.';
  if (!(await isPolled(taskQueue, 'workflow')))
    say(`No worker polls the task queue "${taskQueue}": ${advice}`);
  else if (submitQueue && !(await isPolled(submitQueue, 'activity')))
    say(`No worker polls the task queue "${submitQueue}": ${advice}`);
}
