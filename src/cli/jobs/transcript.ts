import { writeFile } from 'node:fs/promises';
import { type Command } from 'commander';
import { ConfigError } from '../../config';
import { type SubtitleFormat, type TranscriptResult } from '../../contract';
import { assertValid } from '../../errors';
import { transcriptKeyOf } from '../../contract/ids';
import { type JobState, type TranscriptJob } from '../../client/jobs/job';
import { type JobReport } from '../../client/report';
import { type TranscriptSpec } from '../../client/jobs';
import { type Connected, withApi } from '../lib/connect';
import { EXIT, type ExitCode, UsageError } from '../lib/exit';
import { addScopeFlags, notifyFrom, validateTimeout, type ScopeFlags, writeFrom } from '../lib/flags';
import { JOB, tellWaited, waitFor, type WaitFlags } from '../lib/follow';
import { exiting, io, printJson, say } from '../lib/io';
import { addCancel, addFollow, addJson, addStatus, addWaitFlags, type Noun } from '../lib/noun';
import { tellStarted, withStarted } from '../lib/start';

interface ShowFlags extends ScopeFlags, WaitFlags {
  out?: string;
}

interface TranscriptFlags extends ShowFlags {
  format?: SubtitleFormat;
  key?: string;
  write?: string;
  notify?: string;
}

const TRANSCRIPT: Noun<JobState, TranscriptJob> = {
  a: 'a transcript',
  keyOf: transcriptKeyOf,
  get: (segue, key) => segue.transcripts.get(key),
  ...JOB,
};

export function addTo(program: Command): void {
  const transcript = program.command('transcript').description('get the subtitles of a transcription');
  addOut(addWaitFlags(addSpecFlags(transcript.command('run <id>'))))
    .description(
      'wait until a transcription is DONE and print its subtitles; Ctrl-C stops waiting, not the job',
    )
    .action(exiting((id: string, flags: TranscriptFlags) => start(id, flags, (job) => follow(job, flags))));
  addJson(addSpecFlags(transcript.command('start <id>')))
    .description('start that and return at once')
    .action(
      exiting((id: string, flags: TranscriptFlags) =>
        start(id, flags, (job, connected) => tellStarted(job, connected, flags)),
      ),
    );
  addOut(addFollow<JobState, TranscriptJob, ShowFlags>(transcript, TRANSCRIPT, follow));
  addStatus(transcript, TRANSCRIPT);
  addCancel(
    transcript,
    TRANSCRIPT,
    'stop following a transcription; the service goes on with it',
    () => 'The service goes on with the transcription.',
  );
}

function addSpecFlags(command: Command): Command {
  return addScopeFlags(command)
    .option('--format <srt|vtt>', 'default: srt')
    .option('--key <key>', "what makes it the same transcript (default: the transcription's id)")
    .option('--write <type/id:/pointer>', "set them in a project's data, like campaign/7:/subtitles/launch")
    .option('--notify <user@workspace>', 'tell this user of the end, and when a person is needed');
}

function addOut(command: Command): Command {
  return command.option('--out <file>', 'write the subtitles to this file');
}

async function start(
  transcriptionId: string,
  flags: TranscriptFlags,
  work: (job: TranscriptJob, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  const spec = await specFrom(transcriptionId, flags);
  return withStarted(
    {
      start: (segue) => segue.transcripts.start(spec),
      exists: () => 'Nobody is told again; another key is another transcript.',
    },
    work,
  );
}

/** All problems at once: those of the flags, and those of what they ask for. */
async function specFrom(transcriptionId: string, flags: TranscriptFlags): Promise<TranscriptSpec> {
  const { format, key, organization, space } = flags;
  const problems = validateTimeout(flags);
  const write = writeFrom(flags.write, problems);
  const notify = notifyFrom(flags.notify, problems);
  const spec = { transcriptionId, format, key, write, notify, scope: { organization, space } };
  const { validateTranscript } = await import('../../client/jobs/index.js');
  problems.push(...validateTranscript(spec));
  assertValid(problems);
  return spec;
}

async function follow(job: TranscriptJob, flags: ShowFlags): Promise<ExitCode> {
  const report = await waitFor<JobState>(job, flags, JOB.watch());
  if (report.status !== 'succeeded') return tellWaited(job, report, flags, TRANSCRIPT);
  await showSubtitles(report, flags);
  return EXIT.done;
}

type Subtitles = Pick<TranscriptResult, 'transcriptionId' | 'format' | 'text' | 'written' | 'notified'> & {
  empty: boolean;
};

/** The subtitles alone go to stdout, so that they can be piped; `--json` prints everything. */
async function showSubtitles(report: JobReport, flags: ShowFlags): Promise<void> {
  const subtitles = report.info as Subtitles;
  if (flags.out !== undefined) {
    await writeFile(flags.out, await wholeText(subtitles, flags));
    say(`wrote ${flags.out}`);
  }
  if (flags.json) {
    printJson(report);
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
