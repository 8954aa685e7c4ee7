/** What `segue schedule create` is told, read and checked before anything is asked of Temporal. */
import { problemsWithin } from '../../rules/campaign';
import { findSpecProblems } from '../../client/campaigns/spec';
import { readSpecText } from '../../client/campaigns/text';
import { problemsOfOutlook } from '../../client/outlooks';
import { problemsOfSchedule, type ScheduleOptions } from '../../client/schedules/spec';
import { isTargetKind, TARGET_KINDS, type TargetKind } from '../../client/schedules/targets';
import { type ScheduleOverlap, type ScheduleTarget, type ScheduleTimes } from '../../contract';
import { requireGood } from '../../errors';
import { isRecord } from '../../rules/inputs';
import { UsageError } from '../exit';
import { readTextFile } from '../input';

export interface CreateFlags {
  cron?: string;
  every?: string;
  calendar?: string;
  timezone?: string;
  overlap?: string;
  catchup?: string;
  note?: string;
}

/** All problems at once; those of the spec with their place in its file. */
export async function readSchedule(
  name: string,
  target: string,
  file: string,
  flags: CreateFlags,
): Promise<{ options: ScheduleOptions; remarks: string[] }> {
  if (!isTargetKind(target)) throw new UsageError(`"${target}" is none of ${TARGET_KINDS.join(', ')}`);
  const times = readTimes(flags);
  const { spec, problems: ofSpec } = await readTarget(target, file);
  const { timezone, overlap, catchup, note } = flags;
  const options: ScheduleOptions = {
    spec: times.spec ?? { cron: '@daily' },
    target: { kind: target, spec } as ScheduleTarget,
    overlap: overlap as ScheduleOverlap | undefined,
    ...{ timezone, catchup, note },
  };
  // The spec's own are told with their lines.
  const isOfSpec = new Set(problemsOfSchedule('any', { ...NOTHING_WRONG, target: options.target }));
  const others = problemsOfSchedule(name, options).filter((problem) => !isOfSpec.has(problem));
  const problems = [...times.problems, ...others.map(asFlag), ...ofSpec];
  requireGood(problems, 'Nothing was scheduled');
  return { options, remarks: remarksOnKey(name, spec) };
}

const NOTHING_WRONG = { spec: { cron: '@daily' } };

/** Exactly one of the three flags. */
function readTimes({ cron, every, calendar }: CreateFlags): { spec?: ScheduleTimes; problems: string[] } {
  const given = [cron, every, calendar].filter((flag) => flag !== undefined);
  if (given.length !== 1) return { problems: ['give one of --cron, --every and --calendar'] };
  if (cron !== undefined) return { spec: { cron }, problems: [] };
  if (every !== undefined) return { spec: { every }, problems: [] };
  try {
    return { spec: { calendar: JSON.parse(calendar ?? '') as never }, problems: [] };
  } catch (error) {
    return {
      problems: [`--calendar: is not JSON: ${error instanceof Error ? error.message : String(error)}`],
    };
  }
}

const PROBLEMS = {
  campaign: findSpecProblems,
  outlook: (spec: unknown) => problemsWithin([], problemsOfOutlook(spec)),
} as const satisfies Record<TargetKind, unknown>;

async function readTarget(kind: TargetKind, file: string): Promise<{ spec?: unknown; problems: string[] }> {
  const text = await readTextFile('SPEC', file);
  return readSpecText(text, file === '-' ? 'stdin' : file, (spec) =>
    PROBLEMS[kind](isRecord(spec) ? { ...spec, key: 'key' } : spec),
  );
}

/** Problems of options are told as those of flags. */
function asFlag(problem: string): string {
  return /^(cron|every|calendar|timezone|overlap|catchup|note): /.test(problem) ? `--${problem}` : problem;
}

function remarksOnKey(name: string, spec: unknown): string[] {
  return isRecord(spec) && typeof spec.key === 'string'
    ? [`the key ${spec.key} of the spec is not used: each firing has its own, like ${name}-20260101T020000Z`]
    : [];
}
