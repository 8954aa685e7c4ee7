import { type Command } from 'commander';
import { findTool, mediaTools } from '../../api/tools';
import { type JobState, type MediaJob } from '../../client/jobs/job';
import { type JobEntry, type JobFilter } from '../../client/listing';
import { type JobReport } from '../../client/report';
import { type SegueClient } from '../../client/segueClient';
import { MEDIA_STAGES } from '../../contract';
import { isGivenKey, mediaKeyOf, submitRequestId, submitTaskQueue } from '../../contract/ids';
import { assertValid } from '../../errors';
import { type JobFlags, addJobFlags, specFrom } from './flags';
import { addSaveFlags, prepareFolder, validateSaving, saveFiles, type SaveFlags } from './save';
import { POST_MAY_BE_IN_FLIGHT, withAdvice, word } from '../lib/advice';
import { type Connected } from '../lib/connect';
import { type ExitCode } from '../lib/exit';
import { validateTimeout } from '../lib/flags';
import { headline, JOB, tellWaited, waitFor, type WaitFlags } from '../lib/follow';
import { exiting, print, printJson, say } from '../lib/io';
import {
  addCancel,
  addFollow,
  addJson,
  addList,
  addStatus,
  addWaitFlags,
  type JsonFlag,
  type Noun,
  oneOf,
  validateKey,
  projectFilter,
} from '../lib/noun';
import { tellStarted, withStarted } from '../lib/start';

const MEDIA: Noun<JobState, MediaJob> = {
  a: 'a media job',
  keyOf: mediaKeyOf,
  get: (segue, key) => segue.media.get(key),
  ...JOB,
};

export function addTo(program: Command): void {
  const media = program.command('media').description('run media jobs, and look after them');
  const run = media
    .command('run')
    .description('start a job and wait for its result; Ctrl-C stops waiting, not the job');
  const start = media.command('start').description('start a job and return at once');
  for (const [name, tool] of Object.entries(mediaTools)) {
    const begin = async (flags: JobFlags, work: AfterStart): Promise<ExitCode> => {
      const spec = await specFrom(name, tool, flags);
      await prepareFolder(flags);
      return startJob(
        ({ media: jobs }) => (flags.again ? jobs.retry(spec, { again: true }) : jobs.start(spec)),
        work,
      );
    };
    addSaveFlags(addWaitFlags(addJobFlags(run.command(name), tool))).action(
      exiting((flags: JobFlags) => begin(flags, (job) => follow(job, flags))),
    );
    addJson(addJobFlags(start.command(name), tool)).action(
      exiting((flags: JobFlags) => begin(flags, (job, connected) => tellStarted(job, connected, flags))),
    );
  }
  addList<JobEntry, JobFilter>(media, {
    plural: 'jobs',
    columns: ['KEY', 'STATUS', 'STAGE', 'TOOL', 'TASK'],
    rowOf: ({ key, status, stage, tool, taskId }) => [key, status, stage ?? '', tool ?? '', taskId ?? ''],
    filterFrom: (flags, problems) => {
      const { stage, tool } = flags;
      if (tool !== undefined && !findTool(tool))
        problems.push(`--tool: "${tool}" is none of ${Object.keys(mediaTools).join(', ')}`);
      return {
        stage: oneOf('--stage', stage, MEDIA_STAGES, problems),
        tool,
        project: projectFilter(flags, problems),
      };
    },
    client: (segue) => segue.media,
  })
    .option('--tool <tool>', 'only those of this tool')
    .option('--project <type/id>', 'only those that write to this project');
  addStatus(media, MEDIA);
  addSaveFlags(
    addFollow(media, MEDIA, follow, (flags: WaitFlags & SaveFlags) => [
      ...validateTimeout(flags),
      ...validateSaving(flags),
    ]),
  );
  addCancel(
    media,
    MEDIA,
    'stop following a job; the service goes on with a task that it accepted',
    whatGoesOn,
  );
}

/** `segue retry`. */
export function addRetryTo(program: Command): void {
  addJson(program.command('retry <id>'))
    .description('run a failed job again, as KEY+2; refused while the service may still work on it')
    .option('--again', 'also run a job that succeeded, and pay for it again')
    .addHelpText('after', '\nID is a key or a workflow id. Asked twice, it is one run.')
    .action(
      exiting((id: string, flags: JsonFlag & { again?: boolean }) => {
        assertValid(validateKey(MEDIA, id), 'Nothing was asked');
        return startJob(
          ({ media }) => media.retry(mediaKeyOf(id) ?? id, { again: flags.again }),
          (job, connected) => tellStarted(job, connected, flags),
        );
      }),
    );
}

type AfterStart = (job: MediaJob, connected: Connected) => Promise<ExitCode>;

function startJob(start: (segue: SegueClient) => Promise<MediaJob>, work: AfterStart): Promise<ExitCode> {
  return withStarted(
    {
      start: (segue) =>
        start(segue).catch((error: unknown) => {
          throw withAdvice(error);
        }),
      exists: ({ key }, isOver) => {
        // Of the key that was typed, --again gives this same run once more.
        const flag = isGivenKey(key) ? '--again, or ' : '';
        const again = `To run it again and pay for it again: ${flag}segue retry ${word(key)} --again`;
        return `Nothing is submitted again. ${isOver ? again : 'Another key is another job.'}`;
      },
      submitQueue: submitTaskQueue,
    },
    work,
  );
}

/** Waits, and saves the files of the result where that is asked for. */
async function follow(job: MediaJob, flags: WaitFlags & SaveFlags): Promise<ExitCode> {
  await prepareFolder(flags);
  const report = await waitFor<JobState>(job, flags, JOB.watch());
  const { out, at } = flags;
  if (report.status !== 'succeeded' || out === undefined || at === undefined)
    return tellWaited(job, report, flags, MEDIA);
  const { files, problem, exitCode } = await saveFiles(report, { out, at });
  if (flags.json) printJson({ ...report, files, error: problem });
  else {
    print(headline(report));
    for (const { status, path, url, error } of files) {
      if (status === 'saved') print(path ?? '');
      else if (status === 'exists') say(`${path ?? ''} is there already and was left as it is`);
      else say(`${url} could not be saved: ${error ?? ''}`);
    }
  }
  if (problem) say(problem);
  return exitCode;
}

/** What stopping a media job does not stop. */
function whatGoesOn({ status, taskId, key }: JobReport, state: JobState | undefined): string {
  if (taskId) return `The service goes on with task ${taskId}. Its result: segue get task ${word(taskId)}`;
  if (state?.stage === 'held' && state.hold && !state.hold.actions.includes('resubmit'))
    return `It waits for a decision, since the service may have accepted it: segue resolve ${word(key)} --adopt TASK_ID | --abandon`;
  if (status !== 'held') return POST_MAY_BE_IN_FLIGHT;
  const sent = state?.attempts?.at(-1);
  const name = sent ? ` (X-Request-Id ${submitRequestId(key, sent.n)})` : '';
  return `The service may have accepted the job all the same${name}, and nobody follows it any more.`;
}
