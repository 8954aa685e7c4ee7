/** `segue media` and `segue retry`. The flags of a request come from the schema of its tool: a new tool needs no code here. */
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { type MediaTool, mediaTools } from '../../api/tools';
import { prepareFolder } from '../../client/files';
import { type Job, type JobState, type MediaJob } from '../../client/jobs/job';
import { type JobEntry, type JobFilter } from '../../client/report';
import { MEDIA_STAGES } from '../../contract';
import { mediaKeyOf, transcriptKeyOf, transcriptWorkflowId } from '../../contract/ids';
import { assertValid } from '../../errors';
import { type MediaSpec } from '../../runs/media';
import { addSaveFlags, saveFiles, type SaveFlags, validateSaving } from './save';
import {
  addScopeFlags,
  addTargetFlags,
  orProblem,
  projectFlag,
  readObjectFile,
  softNumber,
  type TargetFlags,
  targetsFrom,
  validateTimeout,
} from '../lib/flags';
import { shellArgument } from '../lib/advice';
import { addCancel, addFollow, addList, addStatus, type Noun, validateKey } from '../lib/noun';
import { addRun, addStart, type Begin, JOB, type JsonFlag, type WaitFlags } from '../lib/run';

export const MEDIA: Noun<JobState, MediaJob, WaitFlags & SaveFlags> = {
  ...JOB,
  a: 'a media job',
  keyOf: mediaKeyOf,
  get: (segue, key) => segue.media.get(key),
  addFlags: addSaveFlags,
  validateFlags: async (flags) => {
    const problems = validateSaving(flags);
    if (problems.length === 0 && flags.out !== undefined) await prepareFolder(flags.out, '--out');
    return problems;
  },
  deliver: saveFiles,
};

const ifExists = ({ key }: Job): string =>
  `Nothing is submitted again. To run it again and pay for it again: segue retry ${shellArgument(key)} --again`;

export function addTo(program: Command): void {
  const media = program.command('media').description('start, follow and list media jobs');
  const run = media
    .command('run')
    .description('start a job and wait for its result; Ctrl-C stops waiting, not the job');
  const start = media.command('start').description('start a job and return at once');
  for (const [name, tool] of Object.entries(mediaTools)) {
    const begin: Begin<MediaJob, JobFlags> = async (_argument, flags, go) => {
      const spec = await specFrom(name, tool, flags);
      // Before anything is sent: a result that is paid for must have a folder.
      if (flags.out !== undefined) await prepareFolder(flags.out, '--out');
      return go(
        (segue) => (flags.again ? segue.media.retry(spec, { again: true }) : segue.media.start(spec)),
        ifExists,
      );
    };
    addRun(addJobFlags(run.command(name), tool), MEDIA, begin);
    addStart(addJobFlags(start.command(name), tool), begin);
  }
  addList<JobEntry, JobFilter>(media, {
    ...{ one: 'job', plural: 'jobs' },
    columns: ['KEY', 'STATUS', 'STAGE', 'TOOL', 'TASK'],
    rowOf: ({ key, status, stage, tool, taskId }) => [key, status, stage ?? '', tool ?? '', taskId ?? ''],
    stages: MEDIA_STAGES,
    client: (segue) => segue.media,
  })
    .addOption(new Option('--tool <tool>', 'only those of this tool').choices(Object.keys(mediaTools)))
    .option('--project <type/id>', 'only those that write to this project', projectFlag);
  addStatus(media, MEDIA);
  addFollow(media, MEDIA);
  const about = 'stop following a job; the service continues with an accepted task';
  addCancel(
    media,
    MEDIA,
    about,
    'A POST that was sent may be accepted; its task then continues at the service.',
  );
  addRetry(program);
}

function addRetry(program: Command): void {
  addStart<Job, JsonFlag & { again?: boolean }>(program.command('retry <id>'), (id, { again }, go) => {
    const transcript = id.startsWith(transcriptWorkflowId('')) ? transcriptKeyOf(id) : undefined;
    if (transcript !== undefined) return go((segue) => segue.transcripts.retry(transcript), ifExists);
    assertValid(validateKey(MEDIA, id), 'Nothing was asked');
    return go((segue) => segue.media.retry(mediaKeyOf(id) ?? id, { again }), ifExists);
  })
    .description('run a failed job again, or write an unsaved result again, as KEY+2')
    .option('--again', 'also run a job that succeeded, and pay for it again')
    .addHelpText(
      'after',
      '\nID is a key or a workflow id: media/KEY, transcript/KEY. Running it twice starts one run. Refused while the service may still work on it. An unsaved result is taken from its task; nothing is submitted.',
    );
}

interface JobFlags extends WaitFlags, SaveFlags, TargetFlags, Record<string, unknown> {
  key?: string;
  input?: string;
  taskId?: string;
  again?: boolean;
}

function addJobFlags(command: Command, tool: MediaTool): Command {
  addRequestFlags(command, tool);
  addScopeFlags(command, "instead of the worker's own");
  return addTargetFlags(command, 'campaign/7:/media/banner')
    .description(tool.about)
    .option('--input <file>', 'take the request from a JSON file, - for stdin; flags override it')
    .option('--key <key>', 'what makes it the same job; the same key never submits twice (default: a digest)')
    .option('--task-id <id>', 'follow a task that the service already has; nothing is submitted')
    .option('--again', 'run the job of this key again, as KEY+2; refused while it may still be alive');
}

async function specFrom(name: string, tool: MediaTool, flags: JobFlags): Promise<MediaSpec> {
  const { key, input, taskId } = flags;
  const problems = [...validateTimeout(flags), ...validateSaving(flags)];
  const fromFile = input === undefined ? {} : await orProblem(readObjectFile('--input', input), problems, {});
  const spec: MediaSpec = {
    ...{ key, tool: name, taskId },
    request: { ...fromFile, ...requestFrom(tool, flags) },
    ...targetsFrom(flags, problems),
  };
  if (flags.again && taskId !== undefined)
    problems.push('--again gives the job a new task, --task-id follows one that is there; choose one');
  const { validateSpec } = await import('../../runs/media.js');
  problems.push(...validateSpec(spec));
  assertValid(problems);
  return spec;
}

interface FieldSchema {
  type?: string;
  enum?: string[];
  anyOf?: FieldSchema[];
  items?: FieldSchema;
  description?: string;
}

/** A flag for each field of the request. None is mandatory: the check of the request names all problems. */
function addRequestFlags(command: Command, tool: MediaTool): void {
  const { properties = {} } = z.toJSONSchema(tool.request);
  for (const [field, schema] of Object.entries(properties as Record<string, FieldSchema>))
    for (const option of optionsFor(field, schema)) command.addOption(option);
}

export function requestFrom(tool: MediaTool, flags: Record<string, unknown>): Record<string, unknown> {
  const given = Object.keys(tool.request.shape).map(
    (field) => [field, flags[new Option(flagOf(field)).attributeName()]] as const,
  );
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function flagOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}

function optionsFor(field: string, schema: FieldSchema): Option[] {
  const { type, enum: choices, items } = withoutNull(schema);
  const { description = '' } = schema;
  const flag = flagOf(field);
  if (type === 'boolean') return [new Option(flag, description), new Option(flag.replace('--', '--no-'))];
  const usage = `${flag} <${choices?.join('|') ?? 'value'}>`;
  if (type !== 'array') {
    const option = new Option(usage, description);
    return [isNumber({ type }) ? option.argParser(softNumber) : option];
  }
  const read = items && isNumber(withoutNull(items)) ? softNumber : (text: string) => text;
  const add = (text: string, earlier: unknown[] = []): unknown[] => [...earlier, read(text)];
  return [new Option(usage, `${description} (may be given again)`.trim()).argParser(add)];
}

function withoutNull(schema: FieldSchema): FieldSchema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

function isNumber({ type }: FieldSchema): boolean {
  return type === 'number' || type === 'integer';
}
