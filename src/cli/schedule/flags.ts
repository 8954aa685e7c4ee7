/** What `segue schedule create` is told, read and checked before anything is asked of Temporal. */
import { problemsWithin } from '../../validation/campaign';
import { findSpecProblems } from '../../runs/campaign';
import { readSpecText } from '../../client/campaigns/text';
import { validateSchedule, type ScheduleOptions } from '../../runs/schedule/spec';
import {
  isTargetKind,
  validateScheduledBatch,
  TARGET_KINDS,
  type TargetKind,
} from '../../runs/schedule/targets';
import {
  type ScheduledBatch,
  type ScheduleOverlap,
  type ScheduleTarget,
  type ScheduleTimes,
} from '../../contract';
import { assertValid } from '../../errors';
import { validateOutlook } from '../../runs/outlook';
import { isRecord } from '../../validation/inputs';
import { reasonOf, UsageError } from '../lib/exit';
import { asBatchFlag, notifyFrom, readTextFile, scopeFrom, type ScopeFlags } from '../lib/flags';
import { asFlag } from '.';

export interface CreateFlags {
  cron?: string;
  every?: string;
  calendar?: string;
  timezone?: string;
  overlap?: string;
  catchup?: string;
  note?: string;
}

export interface BatchFlags extends ScopeFlags {
  concurrency?: number;
  notify?: string;
  skipBad?: boolean;
}

/** All problems at once; those of the spec with their place in its file. */
export async function readSchedule(
  name: string,
  target: string,
  source: string,
  flags: CreateFlags & BatchFlags,
): Promise<{ options: ScheduleOptions; remarks: string[] }> {
  const times = readTimes(flags);
  const { spec, problems: ofSpec } = await readTarget(target, source, flags);
  const { timezone, overlap, catchup, note } = flags;
  const options: ScheduleOptions = {
    spec: times.spec ?? { cron: '@daily' },
    target: { kind: target, spec } as ScheduleTarget,
    overlap: overlap as ScheduleOverlap | undefined,
    ...{ timezone, catchup, note },
  };
  // The spec's own are told with their lines.
  const isOfSpec = new Set(validateSchedule('any', { ...NOTHING_WRONG, target: options.target }));
  const others = validateSchedule(name, options).filter((problem) => !isOfSpec.has(problem));
  const problems = [...times.problems, ...others.map(asFlag), ...ofSpec];
  assertValid(problems, 'Nothing was scheduled');
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
    return { problems: [`--calendar: is not JSON: ${reasonOf(error)}`] };
  }
}

interface ReadTarget {
  spec?: unknown;
  problems: string[];
}

/** Of what stands in a file. */
const PROBLEMS = {
  campaign: findSpecProblems,
  outlook: (spec: unknown) => problemsWithin([], validateOutlook(spec)),
} as const satisfies Record<Exclude<TargetKind, 'batch'>, unknown>;

async function readTarget(target: string, source: string, flags: BatchFlags): Promise<ReadTarget> {
  if (isTargetKind(target))
    return target === 'batch' ? readBatch(source, flags) : readFromFile(target, source, flags);
  // What else is wrong is told, too; nobody knows what SPEC is.
  const unknown = `TARGET: "${target}" is none of ${TARGET_KINDS.join(', ')}`;
  return { problems: [unknown, ...readBatch(ANY_ADDRESS, flags).problems] };
}

const ANY_ADDRESS = 'https://example.com/';

async function readFromFile(
  kind: keyof typeof PROBLEMS,
  file: string,
  { concurrency, notify, skipBad, organization, space }: BatchFlags,
): Promise<ReadTarget> {
  const ofBatches = Object.entries({ concurrency, notify, 'skip-bad': skipBad, organization, space });
  const read = await readSpec(kind, file);
  const misplaced = ofBatches.filter(([, value]) => value !== undefined);
  return {
    ...read,
    problems: [
      ...misplaced.map(([name]) => `--${name}: is for batches; of ${kind}s it stands in the spec`),
      ...read.problems,
    ],
  };
}

async function readSpec(kind: keyof typeof PROBLEMS, file: string): Promise<ReadTarget> {
  try {
    const text = await readTextFile('SPEC', file);
    return readSpecText(text, file === '-' ? 'stdin' : file, (spec) =>
      PROBLEMS[kind](isRecord(spec) ? { ...spec, key: 'key' } : spec),
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { problems: [error.message] };
  }
}

/** A batch has no spec in a file, but flags; each firing reads its manifest anew. */
function readBatch(manifest: string, flags: BatchFlags): ReadTarget {
  const { concurrency, skipBad } = flags;
  const problems: string[] = [];
  const notify = notifyFrom(flags.notify, problems);
  const spec: ScheduledBatch = { manifest, concurrency, scope: scopeFrom(flags), notify, skipBad };
  return { spec, problems: [...problems, ...validateScheduledBatch(spec).map(asOwnFlag)] };
}

function asOwnFlag(problem: string): string {
  return problem.startsWith('manifest: ')
    ? problem.replace('manifest', 'MANIFEST_URL')
    : asBatchFlag(problem);
}

function remarksOnKey(name: string, spec: unknown): string[] {
  return isRecord(spec) && typeof spec.key === 'string'
    ? [`the key ${spec.key} of the spec is not used: each firing has its own, like ${name}-20260101T020000Z`]
    : [];
}
