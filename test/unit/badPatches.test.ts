/** What a client refuses to ask of a project: its server is asked nothing, and need not be there. */
import { Client, Connection } from '@temporalio/client';
import { SegueClient } from '../../src/client';
import { InvalidInput } from '../../src/errors';
import { testConfig } from '../support/servers/temporal';

test('a patch that cannot be is refused before anything is sent, with every problem', async () => {
  const { projects } = new SegueClient(new Client({ connection: Connection.lazy() }), testConfig());
  const error: unknown = await projects
    .patch({ resourcetype: '', id: '7' }, { steps: [{ at: 'x', set: 1 }] }, { changeId: 'a b' })
    .catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(InvalidInput);
  expect((error as InvalidInput).problems).toEqual([
    expect.stringContaining('resourcetype'),
    expect.stringContaining('changeId'),
    expect.stringContaining('steps[0].at'),
    expect.stringContaining('SEGUE_ORGANIZATION'),
  ]);
});
