import { type WorkflowHandle } from '@temporalio/client';
import { type TestTemporal } from '../support/temporal';

/** Runs what is to be recorded and hands over its run as soon as its history is the one to keep. */
export type Scenario = (
  temporal: TestTemporal,
  keep: (run: WorkflowHandle) => Promise<void>,
) => Promise<void>;
