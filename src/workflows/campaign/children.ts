/** The runs that do a campaign's jobs. */
import {
  CancellationScope,
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  proxyActivities,
  startChild,
  type Workflow,
  workflowInfo,
} from '@temporalio/workflow';
import { bytesOf, LARGEST_CAMPAIGN_BYTES } from '../../validation/campaign';
import {
  type CampaignJob,
  MEDIA_WORKFLOW,
  type MediaInput,
  RECORD_WORKFLOW,
  type RecordInput,
  reportToSignal,
  type SegueActivities,
  START_MEMO,
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
import { isAlreadyStarted } from '../lib/otherRuns';
import { inLists } from '../lib/otherRuns';
import { forgetEnding, mayHaveEnded } from './looking';
import { shortened } from './news';
import { type Campaign, jobNamed, mediaSpec, setStatus } from './run';
import { partOf, REPEAT, saveJob } from './saving';
import { noteChange } from './stage';
import { type Values, valuesFor, withValues } from './values';

/** Of the Temporal server alone. Five hundred requests of the workflow itself would be a thousand events. */
const { cancelRuns } = proxyActivities<SegueActivities>({
  startToCloseTimeout: '40s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** How a job is begun, or why it cannot be. */
export type JobOrder = Order | { problem: string };

interface Order {
  workflow: string;
  workflowId: string;
  input: MediaInput | TranscriptInput | RecordInput;
  attributes: ReturnType<typeof attributesOfJob>;
}

/**
 * Bytes of the requests that begin in one workflow task: the server takes 4 MB of them, and ends a run that asks for
 * more. A hundred jobs of the usual kind are less than this.
 */
const LARGEST_BUNCH = 64 * 1024;

/**
 * Begins jobs, or finds the runs that do them already, after a reset. As many as may begin at once: the others wait for
 * the next time.
 */
export async function begin(run: Campaign, jobs: CampaignJob[]): Promise<void> {
  // Not begun by two: the order of a job takes a while where it builds on others.
  for (const job of jobs) setStatus(job, 'running');
  const unknown = jobs.filter(({ name, kind }) => kind === 'media' && !run.orders.has(name));
  const values = await valuesFor(
    run,
    unknown.map(({ name }) => mediaSpec(run, name).request),
  );
  const orders = jobs.map((job) => ({ job, order: run.orders.get(job.name) ?? orderOf(run, job, values) }));
  let room = LARGEST_BUNCH;
  const begun = orders.map(({ job, order }) => {
    const bytes = 'problem' in order ? 0 : bytesOf(order.input);
    const isFirst = room === LARGEST_BUNCH;
    room -= bytes;
    if (room >= 0 || isFirst) {
      run.orders.delete(job.name);
      return beginOne(run, job, order);
    }
    // What it takes from others is not read again.
    run.orders.set(job.name, order);
    setStatus(job, 'waiting');
    return Promise.resolve();
  });
  // All of them are begun or are not, before anything else happens: a cancellation finds none in between.
  for (const one of await Promise.allSettled(begun)) if (one.status === 'rejected') throw one.reason;
}

async function beginOne(run: Campaign, job: CampaignJob, order: JobOrder): Promise<void> {
  if ('problem' in order) {
    job.workflowId = null;
    setStatus(job, 'failed', shortened(order.problem));
    saveJob(run, job);
    noteChange(run);
    return;
  }
  forgetEnding(run, job);
  job.workflowId = order.workflowId;
  job.taskId = null;
  job.links = [];
  noteChange(run);
  try {
    attend(run, job, await start(order));
  } catch (error) {
    if (!isAlreadyStarted(error)) throw error;
    await attach(run, job, order);
  }
}

function start({ workflow, workflowId, input, attributes }: Order): Promise<ChildWorkflowHandle<Workflow>> {
  // It outlives this run: a campaign that continues, ends or is stopped leaves nothing half done.
  return CancellationScope.nonCancellable(() =>
    startChild(workflow, {
      workflowId,
      args: [input],
      memo: { [START_MEMO]: workflowInfo().runId },
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: 'ABANDON',
      typedSearchAttributes: attributes,
      staticSummary: `a job of ${workflowInfo().workflowId}`,
    }),
  );
}

/** In this run its end is known the moment it ends, however it does. */
function attend(
  run: Campaign,
  { name, workflowId }: CampaignJob,
  child: ChildWorkflowHandle<Workflow>,
): void {
  run.attended.add(name);
  const hasEnded = (): void => {
    if (jobNamed(run, name)?.workflowId === workflowId) run.ended.set(name, 'ends');
  };
  CancellationScope.nonCancellable(() => child.result()).then(hasEnded, hasEnded);
}

async function attach(run: Campaign, job: CampaignJob, { workflowId }: Order): Promise<void> {
  run.attended.delete(job.name);
  const listener = { workflowId: workflowInfo().workflowId };
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(workflowId).signal(reportToSignal, listener),
  )
    // It is over already; its end is read like any other.
    .catch(() => undefined);
  mayHaveEnded(run, job.name);
}

function orderOf(run: Campaign, job: CampaignJob, values: Values): JobOrder {
  switch (job.kind) {
    case 'media':
      return mediaOrder(run, job, values);
    case 'transcript':
      return transcriptOrder(run, job);
    case 'wait':
      return waitOrder(run, job);
  }
}

function mediaOrder(run: Campaign, job: CampaignJob, values: Values): JobOrder {
  const { tool, request: asked } = mediaSpec(run, job.name);
  const whole = withValues(asked, values);
  if ('problem' in whole) return whole;
  const { request } = whole;
  const bytes = bytesOf(request);
  if (bytes > LARGEST_CAMPAIGN_BYTES)
    return { problem: `its request has ${bytes} bytes with what it takes from others, too many to be sent` };
  const input: MediaInput = { ...shared(run, job), tool, request, submit: run.input.submit };
  return {
    workflow: MEDIA_WORKFLOW,
    workflowId: mediaWorkflowId(input.key),
    input,
    attributes: attributesOfJob(input, 'submitting'),
  };
}

function transcriptOrder(run: Campaign, job: CampaignJob): Order {
  const spec = run.input.transcripts?.[job.name];
  const input: TranscriptInput = {
    ...shared(run, job),
    transcriptionId: spec?.id ?? '',
    format: spec?.format,
  };
  return {
    workflow: TRANSCRIPT_WORKFLOW,
    workflowId: transcriptWorkflowId(input.key),
    input,
    attributes: attributesOfJob({ ...input, tool: 'transcript' }, 'polling'),
  };
}

function waitOrder(run: Campaign, job: CampaignJob): Order {
  const { asset, run: serviceRun, video, failOn } = run.input.waits?.[job.name] ?? {};
  const [kind, id] =
    asset !== undefined
      ? (['asset', asset] as const)
      : serviceRun !== undefined
        ? (['run', serviceRun] as const)
        : (['video', video ?? ''] as const);
  const { scope, poll } = run.input;
  const campaign = run.input.key;
  const key = recordKey(kind, id, campaign);
  const input: RecordInput = {
    ...{ kind, id, failOn, scope, poll, campaign },
    reportTo: workflowInfo().workflowId,
  };
  return {
    workflow: RECORD_WORKFLOW,
    workflowId: recordWorkflowId(key),
    input,
    attributes: attributesOfJob({ tool: kind, scope }, 'polling'),
  };
}

/** What every job of a campaign has: its own place in the project, the campaign's people and settings. */
function shared(run: Campaign, job: CampaignJob) {
  const { key, scope, project, poll, notify } = run.input;
  const { progress, ...to } = notify ?? {};
  const at = `${run.at}/${partOf(run, job.name)}`;
  return {
    key: campaignJobKey(key, job.name, job.repeats),
    ...{ scope, poll },
    write: { project, at, ...(job.repeats > 0 ? { failedAt: `${at}/${REPEAT}` } : {}) },
    // Its end is the campaign's to tell; that it needs a person cannot wait.
    ...(notify ? { notify: { ...(to as typeof notify), on: ['needsInput' as const] } } : {}),
    reportTo: workflowInfo().workflowId,
  };
}

/** A campaign that ends early cancels what it began; each records its task in the project. */
export async function cancelJobs(jobs: CampaignJob[]): Promise<void> {
  const runs = jobs.flatMap(({ workflowId }) => workflowId ?? []);
  await Promise.all(inLists(runs).map((list) => cancelRuns(list)));
}
