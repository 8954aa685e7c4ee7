import { type Command } from 'commander';
import { mediaTools } from '../../api/tools';
import { loadStarterConfig } from '../../config';
import { requireGood } from '../../errors';
import { type MediaJob } from '../../client/jobs/job';
import { withTemporal } from '../lib/connect';
import { EXIT, type ExitCode } from '../lib/exit';
import { problemsOfTimeout, softNumber } from '../lib/flags';
import { addJobFlags, type JobFlags, requireKey, specFrom } from './flags';
import { type ListFlags, showJobs } from './jobList';
import { addSaveFlags, prepareFolder, problemsOfSaving } from './save';
import { tellStarted, withStartedJob } from '../lib/start';
import { printReport, type WaitFlags, waitForJob } from '../lib/follow';
import { env, io } from '../lib/io';

export function addTo(program: Command): void {
  const media = program.command('media').description('run media jobs, and look after them');
  addStarters(media);
  media
    .command('list')
    .description('list jobs, newest first')
    .option('--stage <stage>', 'only those that are here, or ended so')
    .option('--tool <tool>', 'only those of this tool')
    .option('--project <type/id>', 'only those that write to this project')
    .option('--limit <n>', 'show at most so many', softNumber, 50)
    .option('--json', 'print one JSON object a line')
    .action(async (flags: ListFlags) => {
      await showJobs(flags);
    });
  media
    .command('show <key>')
    .description('show how a job stands')
    .option('--json', 'print one JSON object')
    .action(async (key: string, flags: { json?: boolean }) => {
      io().exitCode = await withJob(key, async (job) => {
        await printReport(job, await job.report(), flags);
        return EXIT.done;
      });
    });
  addSaveFlags(media.command('follow <key>'))
    .description('wait for the result of a job that was started')
    .option('--json', 'print one JSON object')
    .option('--timeout <duration>', 'stop waiting after this long; the job goes on')
    .action(async (key: string, flags: WaitFlags) => {
      const problems = [...problemsOfTimeout(flags), ...problemsOfSaving(flags)];
      requireGood(problems, 'Nothing was asked');
      await prepareFolder(flags);
      io().exitCode = await withJob(key, (job) => waitForJob(job, flags));
    });
  media
    .command('cancel <key>')
    .description('stop following a job; the service goes on with a task that it accepted')
    .option('--json', 'print one JSON object')
    .action(async (key: string, flags: { json?: boolean }) => {
      const { cancelJob } = await import('../lib/cancel.js');
      io().exitCode = await withJob(key, (job) => cancelJob(job, flags));
    });
}

function addStarters(media: Command): void {
  const run = media
    .command('run')
    .description('start a job and wait for its result; Ctrl-C stops waiting, not the job');
  const start = media.command('start').description('start a job and return at once');
  for (const [name, tool] of Object.entries(mediaTools)) {
    const about = tool.about;
    addSaveFlags(addJobFlags(run.command(name).description(about), tool))
      .option('--timeout <duration>', 'stop waiting after this long; the job goes on')
      .action(async (flags: JobFlags) => {
        const spec = await specFrom(name, tool, flags);
        await prepareFolder(flags);
        io().exitCode = await withStartedJob(spec, flags, (job) => waitForJob(job, flags));
      });
    addJobFlags(start.command(name).description(about), tool).action(async (flags: JobFlags) => {
      const spec = await specFrom(name, tool, flags);
      io().exitCode = await withStartedJob(spec, flags, (job, connected) =>
        tellStarted(job, connected, flags),
      );
    });
  }
}

async function withJob(text: string, work: (job: MediaJob) => Promise<ExitCode>): Promise<ExitCode> {
  const key = requireKey(text);
  const config = loadStarterConfig(env());
  return withTemporal(async ({ segue }) => work(await segue(config).media.get(key)));
}
