import { writeFile } from 'node:fs/promises';
import { type Command } from 'commander';
import { ConfigError, loadStarterConfig } from '../../config';
import { type SubtitleFormat, type TranscriptResult } from '../../contract';
import { InvalidInputError, requireGood } from '../../errors';
import { transcriptKeyOf } from '../../contract/ids';
import { type TranscriptJob } from '../../client/jobs/job';
import { type JobReport } from '../../client/report';
import { addScopeFlags, type ScopeFlags, withApi } from '../api';
import { type Connected, withTemporal } from '../connect';
import { EXIT, type ExitCode, UsageError } from '../exit';
import { problemsOfTimeout } from '../flags';
import { notifyFrom, writeFrom } from './jobFlags';
import { say } from '../print';
import { sayThatItExists, sayWhenNobodyPolls, tellStarted } from '../starting';
import { printReport, tellWaited, untilOver, type WaitFlags } from '../waiting';
import { env, io } from '../io';
import { problemsOfTranscript, type TranscriptSpec } from '../../client/jobs/transcripts';

type ShowFlags = ScopeFlags & Pick<WaitFlags, 'json' | 'timeout' | 'out'>;

interface TranscriptFlags extends ShowFlags {
  format?: SubtitleFormat;
  key?: string;
  write?: string;
  notify?: string;
}

export function addTo(program: Command): void {
  const transcript = program.command('transcript').description('get the subtitles of a transcription');
  const run = transcript
    .command('run <id>')
    .description(
      'wait until a transcription is DONE and print its subtitles; Ctrl-C stops waiting, not the job',
    );
  withWaiting(withAsk(run)).action(async (id: string, flags: TranscriptFlags) => {
    io().exitCode = await withStarted(id, flags, (job) => wait(job, flags));
  });
  const start = transcript.command('start <id>').description('start that and return at once');
  withAsk(start).action(async (id: string, flags: TranscriptFlags) => {
    io().exitCode = await withStarted(id, flags, (job, connected) => tellStarted(job, connected, flags));
  });
  const follow = transcript.command('follow <key>').description('wait for one that was started');
  withWaiting(follow.option('--json', 'print one JSON object')).action(
    async (key: string, flags: ShowFlags) => {
      io().exitCode = await withJob(key, flags, (job) => wait(job, flags));
    },
  );
  transcript
    .command('show <key>')
    .description('show how one stands')
    .option('--json', 'print one JSON object')
    .action(async (key: string, flags: ShowFlags) => {
      io().exitCode = await withJob(key, flags, async (job) => {
        await printReport(job, await job.report(), flags);
        return EXIT.done;
      });
    });
  transcript
    .command('cancel <key>')
    .description('stop following a transcription; the service goes on with it')
    .option('--json', 'print one JSON object')
    .action(async (key: string, flags: ShowFlags) => {
      const { cancelJob } = await import('./cancelling.js');
      io().exitCode = await withJob(key, flags, (job) =>
        cancelJob(job, flags, () => 'The service goes on with the transcription.'),
      );
    });
}

function withAsk(command: Command): Command {
  command
    .option('--format <srt|vtt>', 'srt unless told')
    .option('--key <key>', "what makes it the same transcript (default: the transcription's id)")
    .option('--write <type/id:/pointer>', "set them in a project's data, like campaign/7:/subtitles/launch")
    .option('--notify <user@workspace>', 'tell this user of the end, and when a person is needed')
    .option('--json', 'print one JSON object');
  return addScopeFlags(command);
}

function withWaiting(command: Command): Command {
  return command
    .option('--timeout <duration>', 'stop waiting after this long; the job goes on')
    .option('--out <file>', 'write the subtitles to this file');
}

async function withStarted(
  transcriptionId: string,
  flags: TranscriptFlags,
  work: (job: TranscriptJob, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  const spec = specFrom(transcriptionId, flags);
  const config = loadStarterConfig(env());
  return withTemporal(async (connected) => {
    const job = await connected.segue(config).transcripts.start(spec);
    if (job.existing)
      await sayThatItExists(job, () => 'Nobody is told again; another key is another transcript.');
    await sayWhenNobodyPolls(connected, job.taskQueue);
    return work(job, connected);
  });
}

/** The job that is meant by its key or its workflow id. */
async function withJob(
  text: string,
  flags: ShowFlags,
  work: (job: TranscriptJob) => Promise<ExitCode>,
): Promise<ExitCode> {
  const key = transcriptKeyOf(text);
  const problems = problemsOfTimeout(flags);
  if (key === undefined) problems.push(`"${text}" is neither a key nor the id of a transcript`);
  if (problems.length > 0 || key === undefined) throw new InvalidInputError(problems, 'Nothing was asked');
  const config = loadStarterConfig(env());
  return withTemporal(async ({ segue }) => work(await segue(config).transcripts.get(key)));
}

/** All problems at once: those of the flags, and those of what they ask for. */
function specFrom(transcriptionId: string, flags: TranscriptFlags): TranscriptSpec {
  const { format, key, organization, space } = flags;
  const problems = problemsOfTimeout(flags);
  const write = flags.write === undefined ? undefined : writeFrom(flags.write, problems);
  const notify = flags.notify === undefined ? undefined : notifyFrom(flags.notify, problems);
  const spec: TranscriptSpec = {
    transcriptionId,
    format,
    key,
    write,
    notify,
    scope: { organization, space },
  };
  problems.push(...problemsOfTranscript(spec));
  requireGood(problems);
  return spec;
}

async function wait(job: TranscriptJob, flags: ShowFlags): Promise<ExitCode> {
  const report = await untilOver(job, flags);
  if (report.status !== 'succeeded') return tellWaited(job, report, flags);
  await showSubtitles(job, report, flags);
  return EXIT.done;
}

type Subtitles = Pick<TranscriptResult, 'transcriptionId' | 'format' | 'text' | 'written' | 'notified'> & {
  empty: boolean;
};

/** The subtitles alone go to stdout, so that they can be piped; `--json` prints everything. */
async function showSubtitles(job: TranscriptJob, report: JobReport, flags: ShowFlags): Promise<void> {
  const subtitles = report.info as Subtitles;
  if (flags.out !== undefined) {
    await writeFile(flags.out, await wholeText(subtitles, flags));
    say(`wrote ${flags.out}`);
  }
  if (flags.json) {
    await printReport(job, report, flags);
    return;
  }
  say(`${report.workflowId} ${report.status}`);
  if (subtitles.empty) say('The transcription is DONE, and its file is empty.');
  if (subtitles.written?.ok === false) say(`The project did not take them: ${subtitles.written.error}`);
  if (subtitles.notified && subtitles.notified.status !== 'sent')
    say(`The notification is ${subtitles.notified.status}: ${subtitles.notified.reason ?? 'no reason'}`);
  if (flags.out !== undefined) return;
  if (typeof subtitles.text === 'string') io().stdout.write(subtitles.text);
  else say(`The text has ${subtitles.text.size} bytes and is kept by the service: ${subtitles.text.fetch}`);
}

/** What is too long to be kept in the run is fetched from the service. */
async function wholeText({ transcriptionId, format, text }: Subtitles, flags: ShowFlags): Promise<string> {
  if (typeof text === 'string') return text;
  try {
    return await withApi(flags, async (api, options) => {
      const file = await api.getSubtitles({ id: transcriptionId, requested_format: format }, options());
      return file.ready ? file.text : '';
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageError(
      `--out: the text has ${text.size} bytes and is kept by the service, which cannot be asked: ${error.problems.join('; ')}`,
    );
  }
}
