/** The runs that do a campaign's jobs. */
import {
  CancellationScope,
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  startChild,
  TemporalFailure,
  type Workflow,
  workflowInfo,
} from '@temporalio/workflow';
import { bytesOf, LARGEST_CAMPAIGN_BYTES, referencesIn, resolveReferences } from '../../campaignRules';
import {
  type CampaignJob,
  MEDIA_WORKFLOW,
  type MediaInput,
  RECORD_WORKFLOW,
  type RecordInput,
  reportToSignal,
  TRANSCRIPT_WORKFLOW,
  type TranscriptInput,
} from '../../contract';
import {
  campaignJobKey,
  mediaWorkflowId,
  recordKey,
  recordWorkflowId,
  transcriptWorkflowId,
} from '../../ids';
import { attributesOfJob } from '../../searchAttributes';
import { isAlreadyStarted } from '../alreadyStarted';
import { readEnd } from './news';
import { type Campaign, jobNamed, mediaSpec, setStatus } from './run';
import { partOf, REPEAT, saveJob } from './saving';
import { noteChange } from './stage';

interface Order {
  workflow: string;
  workflowId: string;
  input: MediaInput | TranscriptInput | RecordInput;
  attributes: ReturnType<typeof attributesOfJob>;
  /** A job is done once, whatever became of it; a mere wait may begin anew where it learned nothing. */
  reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY';
}

/** Begins a job, or finds the run that does it already: after a reset, or because somebody waits for the same record. */
export async function begin(run: Campaign, job: CampaignJob): Promise<void> {
  // Not begun by two: the order of a job takes a while where it builds on others.
  setStatus(job, 'running');
  const order = await orderOf(run, job);
  if ('problem' in order) {
    job.workflowId = null;
    setStatus(job, 'failed', order.problem);
    saveJob(run, job);
    noteChange(run);
    return;
  }
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

function start({
  workflow,
  workflowId,
  input,
  attributes,
  reuse,
}: Order): Promise<ChildWorkflowHandle<Workflow>> {
  // It outlives this run: a campaign that continues, ends or is stopped leaves nothing half done.
  return CancellationScope.nonCancellable(() =>
    startChild(workflow, {
      workflowId,
      args: [input],
      workflowIdReusePolicy: reuse,
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
  job.attached = job.kind === 'wait';
  const listener = { workflowId: workflowInfo().workflowId };
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(workflowId).signal(reportToSignal, listener),
  )
    // It is over already; its end is read like any other.
    .catch(() => undefined);
  run.ended.set(job.name, 'may have');
}

async function orderOf(run: Campaign, job: CampaignJob): Promise<Order | { problem: string }> {
  switch (job.kind) {
    case 'media':
      return mediaOrder(run, job);
    case 'transcript':
      return transcriptOrder(run, job);
    case 'wait':
      return waitOrder(run, job);
  }
}

async function mediaOrder(run: Campaign, job: CampaignJob): Promise<Order | { problem: string }> {
  const { tool, request: asked } = mediaSpec(run, job.name);
  const values = await valuesFor(run, asked);
  if (values.problems.length > 0) return { problem: values.problems.join('; ') };
  const request = resolveReferences(asked, ({ from, at }) => values.found.get(`${from} ${at}`));
  const bytes = bytesOf(request);
  if (bytes > LARGEST_CAMPAIGN_BYTES)
    return { problem: `its request has ${bytes} bytes with what it takes from others, too many to be sent` };
  const input: MediaInput = { ...shared(run, job), tool, request, submit: run.input.submit };
  return {
    workflow: MEDIA_WORKFLOW,
    workflowId: mediaWorkflowId(input.key),
    input,
    attributes: attributesOfJob(input, 'submitting'),
    reuse: 'REJECT_DUPLICATE',
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
    reuse: 'REJECT_DUPLICATE',
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
  const key = recordKey(kind, id);
  const input: RecordInput = { kind, id, failOn, scope, poll, reportTo: workflowInfo().workflowId };
  return {
    workflow: RECORD_WORKFLOW,
    workflowId: recordWorkflowId(key),
    input,
    attributes: attributesOfJob({ key, tool: kind, scope }, 'polling'),
    reuse: 'ALLOW_DUPLICATE_FAILED_ONLY',
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

/** The values that a request takes out of earlier results, by `<from> <at>`; read from those runs, kept nowhere else. */
async function valuesFor(
  run: Campaign,
  request: Record<string, unknown>,
): Promise<{ found: Map<string, unknown>; problems: string[] }> {
  const found = new Map<string, unknown>();
  const problems: string[] = [];
  const references = referencesIn(request);
  const sources = [...new Set(references.map(({ from }) => from))];
  await Promise.all(
    sources.map(async (from) => {
      const pointers = [...new Set(references.flatMap((one) => (one.from === from ? [one.at] : [])))];
      const end = await readEnd({ workflowId: jobNamed(run, from)?.workflowId ?? '', pointers });
      if (end.is !== 'succeeded') {
        problems.push(`the result of ${from} cannot be read: its run is ${end.is}`);
        return;
      }
      for (const at of pointers) {
        const taken = end.values[at] ?? { problem: 'there is nothing' };
        if ('problem' in taken) problems.push(`from ${from} at ${at}: ${taken.problem}`);
        else found.set(`${from} ${at}`, taken.value);
      }
    }),
  );
  return { found, problems };
}

/** A campaign that ends early cancels what it began; each records its task in the project. */
export async function cancelJob({ kind, attached, workflowId }: CampaignJob): Promise<void> {
  if (workflowId === null || (kind === 'wait' && attached)) return;
  try {
    await getExternalWorkflowHandle(workflowId).cancel();
  } catch (error) {
    // It is over.
    if (!(error instanceof TemporalFailure)) throw error;
  }
}
