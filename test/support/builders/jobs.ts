/** Jobs, their entries in the ledger, and their lines in `segue held`. */
import { randomUUID } from 'node:crypto';
import {
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { type MediaJob } from '../../../src/client/jobs/job';
import { type JobReport } from '../../../src/client/report';
import { JobUnsuccessful } from '../../../src/client/unsuccessful';
import { type StarterConfig } from '../../../src/config';
import { MEDIA_WORKFLOW, START_MEMO, type MediaInput } from '../../../src/contract';
import { mediaWorkflowId } from '../../../src/contract/ids';
import { type CommandLine } from '../servers/commandLine';
import { eventually } from '../eventually';
import { addFault, readLedger } from '../service/sandbox';
import { segue } from '../servers/segueCommand';
import { segueClient, type TestTemporal } from '../servers/temporal';
import { startContinued } from '../servers/continueAsNew';

export type Row = Record<string, unknown> & { key: string };

export function newKey(): string {
  return `cli-${randomUUID()}`;
}

export function jsonLines(stdout: string): Row[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** Tasks that the service accepted for a job, in order. */
export async function tasksOf(sandboxUrl: string, key: string): Promise<string[]> {
  const { entries } = await readLedger(sandboxUrl);
  return entries.flatMap(({ kind, applied, requestId, taskId }) =>
    kind === 'submit' && applied && requestId?.startsWith(`${key}.submit.`) ? [taskId ?? ''] : [],
  );
}

export function startArgs(sandboxUrl: string, key: string): string[] {
  return ['media', 'start', 'remove-background', '--image-url', imageOf(sandboxUrl), '--key', key];
}

function imageOf(sandboxUrl: string): string {
  return `${sandboxUrl}/samples/shoe.png`;
}

/** Starts the same job as `startArgs`, without a process: for tests of later steps. */
export function startJob(
  { temporal, sandbox, config }: CommandLine,
  key: string,
  settings: Partial<StarterConfig> = {},
): Promise<MediaJob> {
  const { media } = segueClient(temporal, { ...config, ...settings });
  return media.start({ key, tool: 'remove-background', request: { image_url: imageOf(sandbox.url) } });
}

/** For `run(…).catch(asReport)`: the report of a run that did not succeed. */
export function asReport(error: unknown): JobReport {
  if (error instanceof JobUnsuccessful) return error.report;
  throw error;
}

/** The memo of a run that Segue starts: without it a media run fails. */
export const OWN_START = { [START_MEMO]: 'a test' };

/** Starts a run by the workflow's name, as other languages do: without the client's checks, with whatever input. */
export function startByName(
  temporal: Pick<TestTemporal, 'client'>,
  { taskQueue }: Pick<StarterConfig, 'taskQueue'>,
  sandboxUrl: string,
  input: Omit<Partial<MediaInput>, 'poll'> & { key: string; poll?: object },
  options: Pick<WorkflowStartOptions, 'workflowRunTimeout'> = {},
) {
  const request = { image_url: imageOf(sandboxUrl) };
  const start = {
    ...{ memo: OWN_START, workflowId: mediaWorkflowId(input.key), taskQueue },
    args: [{ tool: 'remove-background', request, ...input }],
  };
  return input.carried
    ? startContinued(temporal, MEDIA_WORKFLOW, start)
    : temporal.client.workflow.start(MEDIA_WORKFLOW, { ...start, ...options });
}

/** Starts a job whose POST the service accepts and never answers, and waits until it is held. */
export async function startHeldJob(
  line: CommandLine,
  settings: Partial<StarterConfig> = {},
): Promise<string> {
  const key = newKey();
  await addFault(line.sandbox.url, {
    operation: 'remove-background',
    match: { requestId: `${key}.submit.1` },
    fault: 'reset',
    when: 'after',
  });
  const job = await startJob(line, key, settings);
  await eventually('the hold', async () => (await job.state())?.stage === 'held');
  return key;
}

/** Waits until the job has a task, and gives its id. */
export async function untilSubmitted({ temporal, config }: CommandLine, key: string): Promise<string> {
  const job = await segueClient(temporal, config).media.get(key);
  return eventually('its task', async () => (await job.state())?.taskId ?? undefined);
}

/** The job's report, without a process: for tests of other commands. */
export async function reportOf({ temporal, config }: CommandLine, key: string): Promise<JobReport> {
  return (await segueClient(temporal, config).media.get(key)).report();
}

/** Waits until `segue held` lists the job, and gives its line. */
export async function heldRow(line: CommandLine, key: string): Promise<Row> {
  // Mostly found by the first read. If not, it is awaited through the client, which is cheaper than the command.
  const find = async (): Promise<Row | undefined> =>
    (await heldRows(line)).find((listed) => listed.key === key);
  const row = await find();
  if (row) return row;
  await eventually(`${key} in the list`, () => isListed(line, key));
  return eventually(`${key} in what segue held prints`, find);
}

/** Waits until `segue held` no longer lists the job. */
export async function untilUnlisted(line: CommandLine, key: string): Promise<void> {
  await eventually(`the list without ${key}`, async () => !(await isListed(line, key)));
  expect((await heldRows(line)).map((listed) => listed.key)).not.toContain(key);
}

export async function heldRows({ settings }: CommandLine): Promise<Row[]> {
  const { code, stdout, stderr } = await segue(['held', '--json', '--limit', '5000'], settings);
  if (code !== 0) throw new Error(stderr);
  return jsonLines(stdout);
}

async function isListed({ temporal, config }: CommandLine, key: string): Promise<boolean> {
  const { jobs } = await segueClient(temporal, config).held({ limit: 5_000 });
  return jobs.some((job) => job.key === key);
}

/** Waits for the end of a run, and fails before the test's timeout if it never ends. */
export function untilEnded(run: WorkflowHandle): Promise<WorkflowExecutionDescription> {
  return eventually(`the end of ${run.workflowId}`, async () => {
    const described = await run.describe();
    return described.status.name !== 'RUNNING' && described;
  });
}
