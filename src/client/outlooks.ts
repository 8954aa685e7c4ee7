import { type OutlookInput, type OutlookResult } from '../contract';
import { outlookWorkflowId } from '../contract/ids';
import { assertValid } from '../errors';
import { outlookStart } from '../runs/outlook';
import { validateOutlook } from '../validation/inputs';
import { find } from '../runs/find';
import { startOrFind } from '../runs/start';
import { type Standing, succeededWith } from './report';
import { Run, RunsClient } from './run';

export type OutlookSpec = OutlookInput;

export class OutlooksClient extends RunsClient<OutlookSpec, OutlookRun> {
  async start(spec: OutlookSpec): Promise<OutlookRun> {
    assertValid(validateOutlook(spec), 'The outlook was not started');
    return new OutlookRun(this.temporal, await startOrFind(this.temporal, outlookStart(spec, this.config)));
  }

  async get(key: string): Promise<OutlookRun> {
    return new OutlookRun(this.temporal, await find(this.temporal, outlookWorkflowId(key)));
  }
}

/** A look has no state: it is over in a moment. */
export class OutlookRun extends Run<undefined, OutlookResult> {
  protected succeeded({ week, written, nudges, remarks }: OutlookResult): Standing {
    return succeededWith({ week, written, nudges, remarks });
  }
}
