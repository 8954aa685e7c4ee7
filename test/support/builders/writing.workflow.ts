import { condition, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import {
  type ChangeOutcome,
  changesSignal,
  type ProjectChange,
  type ProjectRef,
} from '../../../src/contract';
import { changeIdOf } from '../../../src/contract/ids';
import { ProjectWrites, writeToProject } from '../../../src/workflows/steps/write';

export * from '../../../src/workflows';

/** The smallest workflow that writes to a project: all changes together, by the name of their purpose. */
export async function writing(
  project: ProjectRef,
  changes: Record<string, ProjectChange>,
  asker = workflowInfo().workflowId,
): Promise<(ChangeOutcome | undefined)[]> {
  const writes = new ProjectWrites();
  return Promise.all(
    Object.entries(changes).map(([purpose, change]) =>
      writeToProject(writes, { project, change, changeId: changeIdOf(asker, purpose) }),
    ),
  );
}

/** Asks for the first change again, long after the second one. */
export async function writingAgain(
  project: ProjectRef,
  first: ProjectChange,
  second: ProjectChange,
): Promise<void> {
  const writes = new ProjectWrites();
  const write = (change: ProjectChange, purpose: string) =>
    writeToProject(writes, { project, change, changeId: changeIdOf(workflowInfo().workflowId, purpose) });
  await write(first, 'first');
  await write(second, 'second');
  await sleep('55m');
  await write(first, 'first');
}

/**
 * Takes signals for a while and answers none. Null: for ever, without a timer, because a server that skips time may skip
 * to the end of any timer.
 */
export async function silent(time: '5m' | null = '5m'): Promise<void> {
  setHandler(changesSignal, () => undefined);
  if (time) await sleep(time);
  else await condition(() => false);
}
