/** Rolling outlooks of campaigns, for those who import Segue. */
import { type Client } from '@temporalio/client';
import { type StarterConfig } from '../../config';
import { OUTLOOK_WORKFLOW, type OutlookInput } from '../../contract';
import { digest } from '../../platform/digest';
import { DURATION_FORM, parseDuration } from '../../contract/durations';
import { requireGood } from '../../errors';
import { outlookWorkflowId } from '../../contract/ids';
import { problemsOfOutlookInput } from '../../validation/outlook';
import { attributesOfJob } from '../../contract/searchAttributes';
import { find, type Start, startOrFind, type StartSettings } from '../keyed';
import { OutlookRun } from './outlook';
import { type JobReport } from '../report';
import { type WaitOptions } from '../run';
import { problemsOfKey, withoutGaps } from '../jobs/mediaSpec';

/** What a look is asked for. Its key names this one look. */
export type OutlookSpec = OutlookInput;

export class OutlooksClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
  ) {}

  /** Starts a look, or gives back the run that its key already has, running or closed. */
  async start(spec: OutlookSpec): Promise<OutlookRun> {
    const problems = problemsOfOutlook(spec);
    requireGood(problems, 'The outlook was not started');
    return new OutlookRun(this.temporal, await startOrFind(this.temporal, outlookStart(spec, this.config)));
  }

  /** Starts a look and waits for its end. */
  async run(spec: OutlookSpec, options: WaitOptions<unknown> = {}): Promise<JobReport> {
    const job = await this.start(spec);
    return job.wait(options);
  }

  async get(key: string): Promise<OutlookRun> {
    return new OutlookRun(this.temporal, await find(this.temporal, outlookWorkflowId(key)));
  }
}

/** How the run of a look is started, whoever does it. */
export function outlookStart(
  spec: OutlookSpec,
  { taskQueue }: Pick<StartSettings, 'taskQueue'>,
): Start<OutlookInput> {
  const input: OutlookInput = { ...spec, scope: withoutGaps(spec.scope) };
  const { key, scope, project, at = '' } = input;
  return {
    workflow: OUTLOOK_WORKFLOW,
    workflowId: outlookWorkflowId(key),
    ...{ taskQueue, key, input, askOf },
    attributes: attributesOfJob({ tool: OUTLOOK_WORKFLOW, scope, write: { project, at } }),
    summary: `outlook of ${project.resourcetype} ${project.id}`,
  };
}

/** All problems at once, before anything is sent. */
export function problemsOfOutlook(spec: unknown): string[] {
  const { key, silentAfter } = (spec ?? {}) as Record<string, unknown>;
  const isDuration = typeof silentAfter === 'string' && parseDuration(silentAfter) !== undefined;
  return [
    ...(typeof key === 'string' ? problemsOfKey(key) : []),
    ...problemsOfOutlookInput(spec),
    ...(silentAfter === undefined || isDuration ? [] : [`silentAfter: must be ${DURATION_FORM}`]),
  ];
}

function askOf({ scope, ...asked }: OutlookInput): string {
  return digest({ ...asked, scope: withoutGaps(scope) });
}
