import { TypedSearchAttributes } from '@temporalio/common';
import { entryOf } from '../../src/client/report';
import { searchAttributes } from '../../src/contract/searchAttributes';

test('a run that has several tasks is listed with the one that it follows', () => {
  const run = {
    workflowId: 'media/k',
    runId: 'r',
    startTime: new Date(0),
    status: { name: 'TERMINATED' },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: searchAttributes.taskIds, value: ['followed', 'another'] },
    ]),
  } as unknown as Parameters<typeof entryOf>[0];
  expect(entryOf(run)).toMatchObject({ key: 'k', status: 'terminated', taskId: 'followed' });
});

test('Segue takes four of the ten Keyword columns that a SQL namespace has', () => {
  const types = Object.values(searchAttributes).map(({ type }) => type);
  expect(types.filter((type) => type === 'KEYWORD')).toHaveLength(4);
});
