/** Rolling outlooks of campaigns, for those who import Segue. */
import { type Client, type WorkflowFailedError } from '@temporalio/client';
import { type StarterConfig } from '../config';
import { type OutlookInput, type OutlookResult } from '../contract';
import { outlookWorkflowId } from '../contract/ids';
import { assertValid } from '../errors';
import { outlookStart, validateOutlook } from '../runs/outlook';
import { find, type RunFacts, startOrFind } from '../runs/start';
import { failedOutcome, type JobReport, type Standing } from './report';
import { Run, type WaitOptions } from './run';

/** What a look is asked for. Its key names this one look. */
export type OutlookSpec = OutlookInput;

export class OutlooksClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
  ) {}

  /** Starts a look, or gives back the run that its key already has, running or closed. */
  async start(spec: OutlookSpec): Promise<OutlookRun> {
    const problems = validateOutlook(spec);
    assertValid(problems, 'The outlook was not started');
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

/** One look that was started. */
export class OutlookRun extends Run<undefined, OutlookResult> {
  protected readonly stateQueryName = '';

  constructor(temporal: Client, facts: RunFacts) {
    super(temporal, outlookWorkflowId(facts.key), facts);
  }

  /** It is over in a moment, and asks nothing of anybody: there is nothing to tell before its end. */
  override state(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  protected running(): Standing {
    return { status: 'running', stage: null, taskId: null, info: null, error: null };
  }

  protected succeeded({ week, written, nudges, remarks }: OutlookResult): Standing {
    const status = 'succeeded';
    return { status, stage: status, taskId: null, info: { week, written, nudges, remarks }, error: null };
  }

  protected failed(failure: WorkflowFailedError): Standing {
    return failedOutcome(failure);
  }
}
