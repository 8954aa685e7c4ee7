/** The jobs of a campaign: child workflows that outlive its run. */
import {
  CancellationScope,
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  proxyActivities,
  type Workflow,
  workflowInfo,
} from '@temporalio/workflow';
import { LARGEST_CAMPAIGN_BYTES, referencesIn, resolveReferences } from '../../validation/campaign';
import { bytesOf } from '../../api/json';
import {
  type CampaignJob,
  type CampaignWait,
  type JobEnd,
  MEDIA_WORKFLOW,
  type MediaInput,
  RECORD_KINDS,
  RECORD_WORKFLOW,
  type RecordInput,
  reportToSignal,
  type SegueActivities,
  TRANSCRIPT_WORKFLOW,
  type TranscriptInput,
} from '../../contract';
import {
  campaignJobKey,
  mediaWorkflowId,
  recordKey,
  recordWorkflowId,
  transcriptWorkflowId,
} from '../../contract/ids';
import { attributesOfJob } from '../../contract/searchAttributes';
import { type ChildStart, inLists, readEnd, startOnce } from '../lib/otherRuns';
import { partOf, REPEAT } from './project';
import { type Campaign, isOpen, setStatus } from './state';
import { endJob, publish } from './status';
import { addEnding, forgetEnding, truncateError } from './supervise';

/** By an activity: five hundred cancellations by the workflow itself would be a thousand events. */
const { cancelRuns } = proxyActivities<SegueActivities>({ startToCloseTimeout: '40s' });

type JobStart = ChildStart | { problem: string };

/** In one workflow task: the server ends a run that sends more than 4 MB, and each may have 512 KiB. */
const MOST_STARTED = 5;

/** Starts jobs, or after a reset finds those that exist. */
export async function startJobs(run: Campaign, jobs: CampaignJob[]): Promise<void> {
  // At once: the values of dependencies are read asynchronously, and no job may start twice.
  for (const job of jobs) setStatus(job, 'running');
  const media = jobs.filter(({ kind }) => kind === 'media');
  const values = await readValues(
    run,
    media.map(({ name }) => run.mediaSpec(name).request),
  );
  const starts = jobs.map((job) => ({ job, start: startOf(run, job, values) }));
  for (const group of inLists(starts, MOST_STARTED)) {
    await unlessCancelled();
    const started = group.map(({ job, start }) => startJob(run, job, start));
    // A cancellation must find no job that is being started.
    for (const one of await Promise.allSettled(started)) if (one.status === 'rejected') throw one.reason;
  }
}

/** A campaign that was cancelled during a step that cannot be cancelled must not start paid work. */
export async function unlessCancelled(): Promise<void> {
  const scope = CancellationScope.current();
  if (scope.consideredCancelled) await scope.cancelRequested;
}

async function startJob(run: Campaign, job: CampaignJob, start: JobStart): Promise<void> {
  if ('problem' in start) {
    job.workflowId = null;
    endJob(run, job, 'failed', truncateError(start.problem));
    return;
  }
  forgetEnding(run, job);
  job.workflowId = start.workflowId;
  job.taskId = null;
  job.links = [];
  publish(run);
  const child = await CancellationScope.nonCancellable(() => startOnce(start));
  if (child) followChild(run, job, child);
  else await listenTo(run, job, start);
}

/** The server reports the end of a child to its parent, however it ends. */
function followChild(
  run: Campaign,
  { name, workflowId }: CampaignJob,
  child: ChildWorkflowHandle<Workflow>,
): void {
  run.children.add(name);
  const hasEnded = (): void => {
    const job = run.job(name);
    if (job?.workflowId === workflowId && isOpen(job)) addEnding(run, name);
  };
  CancellationScope.nonCancellable(() => child.result()).then(hasEnded, hasEnded);
}

async function listenTo(run: Campaign, job: CampaignJob, { workflowId }: ChildStart): Promise<void> {
  run.children.delete(job.name);
  const listener = { workflowId: workflowInfo().workflowId };
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(workflowId).signal(reportToSignal, listener),
  )
    // The job is over: its end is read next.
    .catch(() => undefined);
  run.due.add(job.name);
}

function startOf(run: Campaign, job: CampaignJob, values: Values): JobStart {
  switch (job.kind) {
    case 'media':
      return mediaStart(run, job, values);
    case 'transcript': {
      const { id = '', format } = run.input.transcripts?.[job.name] ?? {};
      const input = { ...shared(run, job), transcriptionId: id, format };
      return childStart(TRANSCRIPT_WORKFLOW, transcriptWorkflowId(input.key), 'transcript', input);
    }
    case 'wait':
      return waitStart(run, job);
  }
}

function childStart(
  workflow: string,
  workflowId: string,
  tool: string,
  input: MediaInput | TranscriptInput | RecordInput,
): ChildStart {
  const stage = workflow === MEDIA_WORKFLOW ? 'submitting' : 'polling';
  const typedSearchAttributes = attributesOfJob({ ...input, tool }, stage);
  const staticSummary = `a job of ${workflowInfo().workflowId}`;
  return { workflow, workflowId, input, typedSearchAttributes, staticSummary };
}

function mediaStart(run: Campaign, job: CampaignJob, values: Values): JobStart {
  const { tool, request: asked } = run.mediaSpec(job.name);
  const whole = resolveRequest(asked, values);
  if ('problem' in whole) return whole;
  const { request } = whole;
  const bytes = bytesOf(request);
  if (bytes > LARGEST_CAMPAIGN_BYTES)
    return { problem: `its request has ${bytes} bytes with what it takes from others, too many to be sent` };
  const input = { ...shared(run, job), tool, request, submit: run.input.submit };
  return childStart(MEDIA_WORKFLOW, mediaWorkflowId(input.key), tool, input);
}

function waitStart(run: Campaign, job: CampaignJob): ChildStart {
  const spec: CampaignWait = run.input.waits?.[job.name] ?? {};
  const kind = RECORD_KINDS.find((one) => spec[one] !== undefined) ?? 'video';
  const id = spec[kind] ?? '';
  const { scope, poll, key: campaign } = run.input;
  const reportTo = workflowInfo().workflowId;
  const input = { kind, id, failOn: spec.failOn, scope, poll, campaign, reportTo };
  return childStart(RECORD_WORKFLOW, recordWorkflowId(recordKey(kind, id, campaign)), kind, input);
}

/** What every job has: its own path in the project, the campaign's people and settings. */
function shared(run: Campaign, job: CampaignJob) {
  const { key, scope, project, poll, notify } = run.input;
  const { progress, ...to } = notify ?? {};
  const at = `${run.at}/${partOf(job)}`;
  return {
    key: campaignJobKey(key, job.name, job.repeats),
    ...{ scope, poll },
    write: { project, at, ...(job.repeats > 0 ? { failedAt: `${at}/${REPEAT}` } : {}) },
    // The campaign notifies at the end.
    ...(notify ? { notify: { ...(to as typeof notify), on: ['needsInput' as const] } } : {}),
    reportTo: workflowInfo().workflowId,
  };
}

export async function cancelJobs(jobs: CampaignJob[]): Promise<void> {
  const runs = jobs.flatMap(({ workflowId }) => workflowId ?? []);
  await Promise.all(inLists(runs).map((list) => cancelRuns(list)));
}

/** What jobs take from the results of others, by `<from> <at>`. */
type Values = Map<string, Taken>;

type Taken = { value: unknown } | { problem: string };

/** Of one read: so many of the largest values fit into one activity result. */
const MOST_POINTERS = 16;

/** Read from the results of the other jobs' runs, together for each run, and not stored anywhere else. */
async function readValues(run: Campaign, requests: Record<string, unknown>[]): Promise<Values> {
  const values: Values = new Map();
  const references = requests.flatMap((request) => referencesIn(request));
  const read = async (from: string, pointers: string[]): Promise<void> => {
    const end = await readEnd({ workflowId: run.job(from)?.workflowId ?? '', pointers });
    for (const at of pointers) values.set(`${from} ${at}`, valueIn(end, from, at));
  };
  const sources = [...new Set(references.map(({ from }) => from))];
  await Promise.all(
    sources.flatMap((from) => {
      const pointers = [...new Set(references.flatMap((one) => (one.from === from ? [one.at] : [])))];
      return inLists(pointers, MOST_POINTERS).map((list) => read(from, list));
    }),
  );
  return values;
}

function resolveRequest(
  request: Record<string, unknown>,
  values: Values,
): { request: Record<string, unknown> } | { problem: string } {
  const problems = new Set<string>();
  const whole = resolveReferences(request, ({ from, at }) => {
    const taken = values.get(`${from} ${at}`) ?? { problem: `from ${from} at ${at}: there is nothing` };
    if ('value' in taken) return taken.value;
    problems.add(taken.problem);
    return undefined;
  });
  return problems.size > 0 ? { problem: [...problems].join('; ') } : { request: whole };
}

function valueIn(end: JobEnd, from: string, at: string): Taken {
  if (end.is !== 'succeeded')
    return { problem: `the result of ${from} cannot be read: its run is ${end.is}` };
  const taken = end.values[at] ?? { problem: 'there is nothing' };
  return 'problem' in taken ? { problem: `from ${from} at ${at}: ${taken.problem}` } : taken;
}
