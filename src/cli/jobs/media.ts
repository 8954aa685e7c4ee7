import { type Command } from 'commander';
import { mediaTools } from '../../api/tools';
import { type JobState, type MediaJob } from '../../client/jobs/job';
import { type JobEntry, type JobFilter } from '../../client/listing';
import { type SegueClient } from '../../client/segueClient';
import { MEDIA_STAGES } from '../../contract';
import { mediaKeyOf, submitTaskQueue } from '../../contract/ids';
import { assertValid } from '../../errors';
import { type JobFlags, addJobFlags, specFrom } from './flags';
import { addSaveFlags, prepareFolder, saveFiles, type SaveFlags, validateSaving } from './save';
import { withAdvice, word } from '../lib/advice';
import { oneOf, projectFilter } from '../lib/flags';
import { JOB, type WaitFlags } from '../lib/follow';
import {
  addCancel,
  addFollow,
  addList,
  addRun,
  addStart,
  addStatus,
  type Begin,
  type JsonFlag,
  type Noun,
  validateKey,
} from '../lib/noun';
import { type Starting } from '../lib/start';

export const MEDIA: Noun<JobState, MediaJob, WaitFlags & SaveFlags> = {
  ...JOB,
  a: 'a media job',
  keyOf: mediaKeyOf,
  get: (segue, key) => segue.media.get(key),
  addFlags: addSaveFlags,
  validateFlags: validateSaving,
  deliver: saveFiles,
};

export function addTo(program: Command): void {
  const media = program.command('media').description('run media jobs, and look after them');
  const run = media
    .command('run')
    .description('start a job and wait for its result; Ctrl-C stops waiting, not the job');
  const start = media.command('start').description('start a job and return at once');
  for (const [name, tool] of Object.entries(mediaTools)) {
    const begin: Begin<MediaJob, JobFlags> = async (_argument, flags, go) => {
      const spec = await specFrom(name, tool, flags);
      await prepareFolder(flags);
      return go(
        startingBy(({ media: jobs }) => (flags.again ? jobs.retry(spec, { again: true }) : jobs.start(spec))),
      );
    };
    addRun(addJobFlags(run.command(name), tool), MEDIA, begin);
    addStart(addJobFlags(start.command(name), tool), begin);
  }
  addList<JobEntry, JobFilter>(media, {
    plural: 'jobs',
    columns: ['KEY', 'STATUS', 'STAGE', 'TOOL', 'TASK'],
    rowOf: ({ key, status, stage, tool, taskId }) => [key, status, stage ?? '', tool ?? '', taskId ?? ''],
    filterFrom: (flags, problems) => {
      const stage = oneOf('--stage', flags.stage, MEDIA_STAGES, problems);
      const tool = oneOf('--tool', flags.tool, Object.keys(mediaTools), problems);
      return { stage, tool, project: projectFilter(flags, problems) };
    },
    client: (segue) => segue.media,
  })
    .option('--tool <tool>', 'only those of this tool')
    .option('--project <type/id>', 'only those that write to this project');
  addStatus(media, MEDIA);
  addFollow(media, MEDIA);
  const about = 'stop following a job; the service goes on with a task that it accepted';
  addCancel(media, MEDIA, about, 'A POST that was sent may be accepted, and its task then goes on there.');
  addRetry(program);
}

function addRetry(program: Command): void {
  addStart<MediaJob, JsonFlag & { again?: boolean }>(program.command('retry <id>'), (id, { again }, go) => {
    assertValid(validateKey(MEDIA, id), 'Nothing was asked');
    return go(startingBy(({ media }) => media.retry(mediaKeyOf(id) ?? id, { again })));
  })
    .description('run a failed job again, as KEY+2; refused while the service may still work on it')
    .option('--again', 'also run a job that succeeded, and pay for it again')
    .addHelpText('after', '\nID is a key or a workflow id. Asked twice, it is one run.');
}

function startingBy(start: (segue: SegueClient) => Promise<MediaJob>): Starting<MediaJob> {
  return {
    start: (segue) =>
      start(segue).catch((error: unknown) => {
        throw withAdvice(error);
      }),
    exists: ({ key }) =>
      `Nothing is submitted again. To run it again and pay for it again: segue retry ${word(key)} --again`,
    submitQueue: submitTaskQueue,
  };
}
