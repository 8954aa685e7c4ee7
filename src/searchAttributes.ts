/** What operators list and filter runs by. A namespace must know them before a run can set them. */
import { defineSearchAttributeKey } from '@temporalio/common';

export const searchAttributes = {
  stage: defineSearchAttributeKey('SegueStage', 'KEYWORD'),
  tool: defineSearchAttributeKey('SegueTool', 'KEYWORD'),
  project: defineSearchAttributeKey('SegueProject', 'KEYWORD'),
  workspace: defineSearchAttributeKey('SegueWorkspace', 'KEYWORD'),
  batch: defineSearchAttributeKey('SegueBatch', 'KEYWORD'),
  taskIds: defineSearchAttributeKey('SegueTaskIds', 'KEYWORD_LIST'),
  key: defineSearchAttributeKey('SegueKey', 'KEYWORD'),
};

export const allSearchAttributes = Object.values(searchAttributes);
