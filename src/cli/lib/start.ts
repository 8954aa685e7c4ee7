/** What `run` and `start` of every noun do until the run is there, and say about it. */
import { loadStarterConfig, type TemporalConfig } from '../../config';
import { formatDuration } from '../../contract/durations';
import { type Run } from '../../client/run';
import { type SegueClient } from '../../client/segueClient';
import { isLoopback } from '../../platform/plainAgent';
import { followCommand } from './advice';
import { type Connected, withTemporal } from './connect';
import { EXIT, type ExitCode } from './exit';
import { env, print, printJson, say } from './io';

export interface Starting<R extends Run> {
  start: (segue: SegueClient) => Promise<R>;
  /** What it means that the run was there before, for one that is over or not. */
  exists: (run: R, isOver: boolean) => string;
  /** The task queue of its POSTs, if it sends any. */
  submitQueue?: (taskQueue: string) => string;
}

/** Starts a run, or finds the one of the same key, and goes on with it. */
export async function withStarted<R extends Run>(
  { start, exists, submitQueue }: Starting<R>,
  work: (run: R, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = loadStarterConfig(env());
  return withTemporal(async (connected) => {
    const run = await start(connected.segue(config));
    if (run.existing) await sayThatItExists(run, (isOver) => exists(run, isOver));
    await sayWhenNobodyPolls(connected, run.taskQueue, submitQueue?.(run.taskQueue));
    return work(run, connected);
  });
}

/** For a command that does not wait. */
export async function tellStarted(
  run: Run,
  { config }: Connected,
  { json }: { json?: boolean },
): Promise<ExitCode> {
  if (json) {
    printJson(run.existing ? await run.report() : run.started());
    return EXIT.done;
  }
  print(run.workflowId);
  say(`follow it:  ${followCommand(run)}`);
  const ui = localUiUrl(config);
  if (ui) say(`look at it: ${workflowUrl(ui, config.namespace, run.workflowId)}`);
  return EXIT.done;
}

export async function sayThatItExists(run: Run, meaning: (isOver: boolean) => string): Promise<void> {
  const age = formatDuration(Date.now() - run.startedAt.getTime());
  const { status } = await run.report();
  const isOver = !['running', 'held'].includes(status);
  say(`${run.workflowId} exists: started ${age} ago, ${status}. ${meaning(isOver)}`);
}

export async function sayWhenNobodyPolls(
  { temporal }: Connected,
  taskQueue: string,
  submitQueue?: string,
): Promise<void> {
  const { pollersOf } = await import('../../runs/pollers.js');
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

export function workflowUrl(uiUrl: string, namespace: string, workflowId: string): string {
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

/** The default port of the dev server's UI is a thousand above that of the server. */
const UI_PORT_OFFSET = 1_000;

function localUiUrl({ address }: TemporalConfig): string | undefined {
  const server = URL.canParse(`http://${address}`) ? new URL(`http://${address}`) : undefined;
  if (!server || !isLoopback(server.hostname)) return undefined;
  return `http://${server.hostname}:${Number(server.port || 80) + UI_PORT_OFFSET}`;
}
