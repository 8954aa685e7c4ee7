import { type Command } from 'commander';
import { loadStarterConfig } from '../../config';
import { type RecordKind } from '../../contract';
import { requireGood } from '../../errors';
import { addScopeFlags, type ScopeFlags } from '../api';
import { word } from '../commandLine';
import { withTemporal } from '../connect';
import { type ExitCode } from '../exit';
import { problemsOfTimeout } from '../flags';
import { sayThatItExists, sayWhenNobodyPolls } from '../starting';
import { tellWaited, untilOver, type WaitFlags } from '../waiting';
import { env, io } from '../io';
import { problemsOfRecord, type RecordSpec } from '../../client/jobs/records';

interface RecordFlags extends ScopeFlags, WaitFlags {
  failOn?: string[];
}

const ABOUT: Record<RecordKind, string> = {
  asset: 'wait until an asset is done, status 4 (the worker needs SEGUE_ASSET_PATH)',
  run: "wait for a workflow run of the service, by the run's ID; PAUSED is not an end (the worker needs SEGUE_RUN_PATH)",
  video: 'wait until a v2 video is DONE or FAILED (the worker needs SEGUE_VIDEO_PATH)',
};

export function addTo(program: Command): void {
  const wait = program.command('wait').description('wait for a record of the service; its own status tells');
  for (const [kind, about] of Object.entries(ABOUT)) {
    const command = wait
      .command(`${kind} <id>`)
      .description(about)
      .option(
        '--fail-on <status>',
        'end as failed when it has this status (may be given again)',
        (status: string, earlier: string[] | undefined) => [...(earlier ?? []), status],
      )
      .option('--timeout <duration>', 'stop waiting after this long; the wait goes on')
      .option('--json', 'print one JSON object');
    addScopeFlags(command).action(async (id: string, flags: RecordFlags) => {
      io().exitCode = await waitFor(kind as RecordKind, id, flags);
    });
  }
}

/** The command that asks for the same wait. */
function againCommand({ kind, id, failOn = [], scope = {} }: RecordSpec): string {
  const flags = [...failOn.map((status) => ['fail-on', String(status)] as const), ...Object.entries(scope)];
  const words = flags.flatMap(([name, value]) =>
    typeof value === 'string' ? [`--${name} ${word(value)}`] : [],
  );
  return [`segue wait ${kind} ${word(id)}`, ...words].join(' ');
}

async function waitFor(kind: RecordKind, id: string, flags: RecordFlags): Promise<ExitCode> {
  const { organization, space, failOn = [] } = flags;
  const spec: RecordSpec = { kind, id, failOn, scope: { organization, space } };
  const problems = [...problemsOfTimeout(flags), ...problemsOfRecord(spec)];
  requireGood(problems, 'The wait was not started');
  const config = loadStarterConfig(env());
  const again = againCommand(spec);
  return withTemporal(async (connected) => {
    const job = await connected.segue(config).records.start(spec);
    if (job.existing) await sayThatItExists(job, () => 'This is the same wait.');
    await sayWhenNobodyPolls(connected, job.taskQueue);
    return tellWaited(job, await untilOver(job, flags, again), flags, again);
  });
}
