import { findTool, mediaTools } from '../../api/tools';
import { loadStarterConfig } from '../../config';
import { MEDIA_STAGES, type MediaStage } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { requireGood } from '../../errors';
import { type JobEntry, type JobFilter } from '../../client/listing';
import { withTemporal } from '../lib/connect';
import { problemsOfLimit } from '../lib/flags';
import { projectFrom } from './flags';
import { showList } from '../lib/list';
import { env } from '../lib/io';

export interface ListFlags {
  stage?: string;
  tool?: string;
  project?: string;
  limit: number;
  json?: boolean;
}

export async function showJobs(flags: ListFlags): Promise<void> {
  const filter = filterFrom(flags);
  const config = loadStarterConfig(env());
  await withTemporal(async ({ segue }) => {
    const { media } = segue(config);
    const found = { list: media.list(filter), count: () => media.count(filter) };
    await showList(found, flags, { noun: 'jobs', columns: COLUMNS, rowOf });
  });
}

/** All problems at once; nothing is asked with a filter that finds nothing by mistake. */
function filterFrom({ stage, tool, project, limit }: ListFlags): JobFilter {
  const problems = problemsOfLimit({ limit });
  const isStage = (text: string): text is MediaStage => MEDIA_STAGES.includes(text as MediaStage);
  if (stage !== undefined && !isStage(stage))
    problems.push(`--stage: "${stage}" is none of ${MEDIA_STAGES.join(', ')}`);
  if (tool !== undefined && !findTool(tool))
    problems.push(`--tool: "${tool}" is none of ${Object.keys(mediaTools).join(', ')}`);
  const ref = project === undefined ? undefined : projectFrom(project);
  if (project !== undefined && !ref) problems.push(`--project: "${project}" is not TYPE/ID`);
  requireGood(problems, 'Nothing was listed');
  return { stage: stage as MediaStage | undefined, tool, project: ref };
}

const COLUMNS = ['KEY', 'STATUS', 'STAGE', 'TOOL', 'TASK', 'STARTED'];

function rowOf({ key, status, stage, tool, taskId, startedAt }: JobEntry): string[] {
  const age = formatDuration(Math.max(0, Date.now() - Date.parse(startedAt)));
  return [key, status, stage ?? '', tool ?? '', taskId ?? '', `${age} ago`];
}
