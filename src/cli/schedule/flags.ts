/** The flags of `segue schedule create`, checked before Temporal is contacted. */
import { findSpecProblems } from '../../runs/campaign';
import { readSpecText } from '../../client/campaigns/text';
import { validateSchedule, type ScheduleOptions } from '../../runs/schedule/spec';
import { validateScheduledBatch, TARGET_KINDS } from '../../runs/schedule/targets';
import {
  type ScheduledBatch,
  type ScheduleOverlap,
  type ScheduleTarget,
  type ScheduleTimes,
} from '../../contract';
import { assertValid } from '../../errors';
import { isRecord, outlookSpec } from '../../validation/inputs';
import {
  asFlags,
  notifyFrom,
  orProblem,
  readTextFile,
  scopeFrom,
  type ScopeFlags,
  softJson,
} from '../lib/flags';

export interface CreateFlags extends ScopeFlags {
  cron?: string;
  every?: string;
  calendar?: string;
  timezone?: string;
  overlap?: string;
  catchup?: string;
  note?: string;
  /** From here on, as the scope: only for a batch. */
  concurrency?: number;
  notify?: string;
  skipBad?: boolean;
}

/** Throws one message with all problems; those of the spec with their line. */
export async function readSchedule(
  name: string,
  target: string,
  source: string,
  flags: CreateFlags,
): Promise<ScheduleOptions> {
  const { cron, every, timezone, overlap, catchup, note } = flags;
  const calendar = softJson(flags.calendar);
  const times = Object.entries({ cron, every, calendar });
  const { spec, problems } = await readTarget(target, source, flags);
  const options: ScheduleOptions = {
    spec: Object.fromEntries(times.filter(([, value]) => value !== undefined)) as ScheduleTimes,
    target: { kind: target, spec } as ScheduleTarget,
    overlap: overlap as ScheduleOverlap | undefined,
    ...{ timezone, catchup, note },
  };
  // The problems of the target are known, with their lines.
  const others = validateSchedule(name, { ...options, target: ANY_TARGET });
  const names = { name: 'NAME', spec: '--cron, --every, --calendar' };
  const ofFlags = typeof calendar === 'string' ? ['--calendar: is not JSON'] : asFlags(others, names);
  assertValid([...ofFlags, ...problems], 'Nothing was scheduled');
  return options;
}

const ANY_TARGET: ScheduleTarget = { kind: 'batch', spec: { manifest: 'https://example.com/' } };

interface ReadTarget {
  spec?: unknown;
  problems: string[];
}

const PROBLEMS = {
  campaign: findSpecProblems,
  outlook: (spec: unknown) => outlookSpec.check(spec, []),
};

async function readTarget(target: string, source: string, flags: CreateFlags): Promise<ReadTarget> {
  if (target === 'batch') return readBatch(source, flags);
  if (target === 'campaign' || target === 'outlook') return readFromFile(target, source, flags);
  return { problems: [`TARGET: "${target}" is not one of ${TARGET_KINDS.join(', ')}`] };
}

async function readFromFile(
  kind: keyof typeof PROBLEMS,
  file: string,
  { concurrency, notify, skipBad, organization, space }: CreateFlags,
): Promise<ReadTarget> {
  const ofBatches = Object.entries({ concurrency, notify, 'skip-bad': skipBad, organization, space });
  const problems = ofBatches
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}: is for batches; for ${kind}s it is part of the spec`);
  const text = await orProblem<string | undefined>(readTextFile('SPEC', file), problems, undefined);
  if (text === undefined) return { problems };
  const read = readSpecText(text, file === '-' ? 'stdin' : file, (spec) =>
    PROBLEMS[kind](isRecord(spec) ? { ...spec, key: 'key' } : spec),
  );
  return { spec: read.spec, problems: [...problems, ...read.problems] };
}

/** A batch has flags instead of a file; each firing reads its manifest again. */
function readBatch(manifest: string, flags: CreateFlags): ReadTarget {
  const { concurrency, skipBad } = flags;
  const problems: string[] = [];
  const notify = notifyFrom(flags.notify, problems);
  const spec: ScheduledBatch = { manifest, concurrency, scope: scopeFrom(flags), notify, skipBad };
  problems.push(...asFlags(validateScheduledBatch(spec), { manifest: 'MANIFEST_URL' }));
  return { spec, problems };
}
