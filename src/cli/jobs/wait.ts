import { type Command } from 'commander';
import { type RecordSpec } from '../../client/jobs';
import { type RecordKind } from '../../contract';
import { assertValid } from '../../errors';
import { word } from '../lib/advice';
import { type ExitCode } from '../lib/exit';
import { addScopeFlags, validateTimeout, type ScopeFlags } from '../lib/flags';
import { follow, JOB, type WaitFlags } from '../lib/follow';
import { exiting } from '../lib/io';
import { addWaitFlags } from '../lib/noun';
import { withStarted } from '../lib/start';

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
    addWaitFlags(addScopeFlags(wait.command(`${kind} <id>`)), 'wait')
      .description(about)
      .option(
        '--fail-on <status>',
        'end as failed when it has this status (may be given again)',
        (status: string, earlier: string[] | undefined) => [...(earlier ?? []), status],
      )
      .action(exiting((id: string, flags: RecordFlags) => waitForRecord(kind as RecordKind, id, flags)));
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

async function waitForRecord(kind: RecordKind, id: string, flags: RecordFlags): Promise<ExitCode> {
  const { organization, space, failOn = [] } = flags;
  const spec: RecordSpec = { kind, id, failOn, scope: { organization, space } };
  const { validateRecord } = await import('../../client/jobs/index.js');
  assertValid([...validateTimeout(flags), ...validateRecord(spec)], 'The wait was not started');
  return withStarted(
    { start: (segue) => segue.records.start(spec), exists: () => 'This is the same wait.' },
    (job) => follow(job, flags, JOB, againCommand(spec)),
  );
}
