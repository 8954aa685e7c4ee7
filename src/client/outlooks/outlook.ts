/** One look that was started. */
import { type Client, type WorkflowFailedError } from '@temporalio/client';
import { type OutlookResult } from '../../contract';
import { outlookWorkflowId } from '../../contract/ids';
import { failedOutcome } from '../outcome';
import { type Standing } from '../report';
import { Run, type RunFacts } from '../run';

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
