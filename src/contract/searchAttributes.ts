/** What operators filter runs by, beside the workflow id. A namespace must have them; one on SQL has ten keyword columns. */
import { defineSearchAttributeKey } from '@temporalio/common/lib/search-attributes';
import { type BatchStage, type CampaignStage, type JobStage, type MediaInput } from '.';

export const searchAttributes = {
  stage: defineSearchAttributeKey('SegueStage', 'KEYWORD'),
  tool: defineSearchAttributeKey('SegueTool', 'KEYWORD'),
  project: defineSearchAttributeKey('SegueProject', 'KEYWORD'),
  workspace: defineSearchAttributeKey('SegueWorkspace', 'KEYWORD'),
  taskIds: defineSearchAttributeKey('SegueTaskIds', 'KEYWORD_LIST'),
};

export const allSearchAttributes = Object.values(searchAttributes);

/** A longer value would fail the run. */
const LONGEST_KEYWORD = 255;

export function keyword(text: string): string {
  return text.slice(0, LONGEST_KEYWORD);
}

export function attributesOfJob(
  { tool, scope, write }: Pick<MediaInput, 'tool' | 'scope' | 'write'>,
  /** Left out for runs that are over in a moment. */
  stage?: JobStage | CampaignStage | BatchStage,
) {
  const given = [
    { key: searchAttributes.stage, value: stage },
    { key: searchAttributes.tool, value: tool },
    { key: searchAttributes.workspace, value: scope?.organization },
    { key: searchAttributes.project, value: write && `${write.project.resourcetype}/${write.project.id}` },
  ];
  return given.flatMap(({ key: name, value }) => (value ? [{ key: name, value: keyword(value) }] : []));
}

/** For a visibility query of Temporal. */
export function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
