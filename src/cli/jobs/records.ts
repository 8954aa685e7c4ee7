/** `segue transcript` and `segue wait`: jobs that wait for a record of the service. */
import { writeFile } from 'node:fs/promises';
import { type Command } from 'commander';
import { type RecordKind, type SubtitleFormat, type TranscriptResult } from '../../contract';
import { assertValid } from '../../errors';
import { transcriptKeyOf } from '../../contract/ids';
import { type JobState, type RecordJob, type TranscriptJob } from '../../client/jobs/job';
import { type RecordSpec } from '../../runs/record';
import { type TranscriptSpec } from '../../runs/transcript';
import { type JobReport } from '../../client/report';
import {
  addScopeFlags,
  addTargetFlags,
  type ScopeFlags,
  type TargetFlags,
  targetsFrom,
  validateTimeout,
} from '../lib/flags';
import { EXIT, type ExitCode, io, printJson, say } from '../lib/io';
import { addCancel, addFollow, addStatus, type Noun } from '../lib/noun';
import { addRun, addStart, type Begin, JOB, type WaitFlags } from '../lib/run';

interface OutFlags extends WaitFlags {
  out?: string;
}

interface TranscriptFlags extends TargetFlags, OutFlags {
  format?: SubtitleFormat;
  key?: string;
}

const TRANSCRIPT: Noun<JobState, TranscriptJob, OutFlags> = {
  ...JOB,
  a: 'a transcript',
  keyOf: transcriptKeyOf,
  get: (segue, key) => segue.transcripts.get(key),
  addFlags: (command) => command.option('--out <file>', 'write the subtitles to this file'),
  deliver: deliverSubtitles,
};

export function addTo(program: Command): void {
  const transcript = program.command('transcript').description('get the subtitles of a transcription');
  addRun(addSpecFlags(transcript.command('run <id>')), TRANSCRIPT, beginTranscript).description(
    'wait until a transcription is DONE and print its subtitles; Ctrl-C stops waiting, not the job',
  );
  addStart(addSpecFlags(transcript.command('start <id>')), beginTranscript).description(
    'start it and return at once',
  );
  addFollow(transcript, TRANSCRIPT);
  addStatus(transcript, TRANSCRIPT);
  const about = 'stop following a transcription; it continues at the service';
  addCancel(transcript, TRANSCRIPT, about, 'The transcription continues at the service.');
  addWait(program);
}

function addSpecFlags(command: Command): Command {
  return addTargetFlags(addScopeFlags(command), 'campaign/7:/subtitles/launch')
    .option('--format <srt|vtt>', 'default: srt')
    .option('--key <key>', "what makes it the same transcript (default: the transcription's id)");
}

const beginTranscript: Begin<TranscriptJob, TranscriptFlags> = async (transcriptionId, flags, go) => {
  const { format, key } = flags;
  const problems = validateTimeout(flags);
  const spec: TranscriptSpec = { transcriptionId, format, key, ...targetsFrom(flags, problems) };
  const { validateTranscript } = await import('../../runs/transcript.js');
  assertValid([...problems, ...validateTranscript(spec)]);
  return go(
    (segue) => segue.transcripts.start(spec),
    () => 'Nobody is notified again; another key is another transcript.',
  );
};

type Subtitles = Pick<TranscriptResult, 'text' | 'notified'> & { empty: boolean };

/** The subtitles alone go to stdout, so that they can be piped; `--json` prints everything. */
async function deliverSubtitles(report: JobReport, { out, json }: OutFlags): Promise<ExitCode> {
  const { text, empty, notified } = report.info as Subtitles;
  const isKept = typeof text === 'string';
  const elsewhere = isKept ? '' : `The text has ${text.size} bytes and is kept by the service: ${text.fetch}`;
  const problem = out !== undefined && !isKept ? `--out: ${elsewhere}` : null;
  const error = problem ?? report.error;
  if (out !== undefined && isKept) {
    await writeFile(out, text);
    say(`wrote ${out}`);
  }
  if (json) printJson({ ...report, error });
  if (error) say(error);
  if (problem || json) return problem ? EXIT.wrongInput : EXIT.done;
  say(`${report.workflowId} ${report.status}`);
  if (empty) say('The transcription is DONE, and its file is empty.');
  if (notified && notified.status !== 'sent')
    say(`The notification is ${notified.status}: ${notified.reason ?? 'no reason'}`);
  if (!isKept) say(elsewhere);
  else if (out === undefined) io().stdout.write(text);
  return EXIT.done;
}

interface RecordFlags extends ScopeFlags, WaitFlags {
  failOn?: string[];
}

const ABOUT: Record<RecordKind, string> = {
  asset: 'wait until an asset is done, status 4 (the worker needs SEGUE_ASSET_PATH)',
  run: "wait for a workflow run of the service, by the run's ID; PAUSED is not an end (the worker needs SEGUE_RUN_PATH)",
  video: 'wait until a v2 video is DONE or FAILED (the worker needs SEGUE_VIDEO_PATH)',
};

function addWait(program: Command): void {
  const wait = program.command('wait').description('wait for a record of the service, by its own status');
  for (const [kind, about] of Object.entries(ABOUT))
    addRun(
      addScopeFlags(wait.command(`${kind} <id>`)),
      { ...JOB, a: 'a wait' },
      beginWait(kind as RecordKind),
    )
      .description(about)
      .option(
        '--fail-on <status>',
        'end as failed when it has this status (may be given again)',
        (status: string, earlier: string[] | undefined) => [...(earlier ?? []), status],
      );
}

function beginWait(kind: RecordKind): Begin<RecordJob, RecordFlags> {
  return async (id, flags, go) => {
    const { organization, space, failOn = [] } = flags;
    const spec: RecordSpec = { kind, id, failOn, scope: { organization, space } };
    const { validateRecord } = await import('../../runs/record.js');
    assertValid([...validateTimeout(flags), ...validateRecord(spec)], 'The wait was not started');
    return go(
      (segue) => segue.records.start(spec),
      () => 'This is the same wait.',
    );
  };
}
