import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type LedgerEntry } from '@segue/sandbox';
import { loadLocalConfig } from '../../config';
import { type MediaState } from '../../contract';
import { type JobReport } from '../../client/report';
import { isPortFree } from '../../temporal/ports';
import { withTemporal } from '../lib/connect';
import { EXIT } from '../lib/exit';
import { type LocalStack, startLocalStack } from './localStack';
import { DEV_PORTS } from './ports';
import { env, io, print, say } from '../lib/io';
import { installRuntime } from './runtime';
import { orAbandon, untilAskedToStop } from './signals';
import { workflowUrl } from '../lib/start';

const STATE = path.join('.segue', 'demo');

export async function runDemo(): Promise<void> {
  const config = loadLocalConfig(env());
  installRuntime('error');
  const stopped = untilAskedToStop(() => undefined);
  // The usual ports where they are free, so that what the demo prints still holds when `segue dev` opens its state.
  const starting = startLocalStack({ config, state: STATE, ports: await freeAmong(DEV_PORTS), say });
  const stack = await orAbandon(stopped, starting);
  try {
    const report = await removeBackground(stack);
    const paidOnce = await showWhatHappened(stack, report);
    io().exitCode = report.status === 'succeeded' && paidOnce ? EXIT.done : EXIT.failed;
  } finally {
    await stack.stop();
  }
}

async function freeAmong(ports: typeof DEV_PORTS): Promise<typeof DEV_PORTS> {
  const orAny = async (port: number): Promise<number> => ((await isPortFree(port)) ? port : 0);
  return {
    temporal: await orAny(ports.temporal),
    ui: await orAny(ports.ui),
    sandbox: await orAny(ports.sandbox),
  };
}

async function removeBackground({ sandbox, temporal, config }: LocalStack): Promise<JobReport> {
  const key = `demo-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
  const request = { image_url: `${sandbox.url}/samples/shoe.png`, magic_crop: true };
  const poll = { min: '300ms', max: '500ms' };
  say(`Job: remove the background of ${request.image_url}`);
  const onChange = (state: MediaState): void => {
    say(`  ${state.stage}${state.taskId ? `, task ${state.taskId}` : ''}, polls so far: ${state.polls}`);
  };
  return withTemporal(
    ({ segue }) => segue(config).media.run({ key, tool: 'remove-background', request, poll }, { onChange }),
    temporal,
  );
}

/** Tells what the service itself saw, and gives whether that was one POST. */
async function showWhatHappened(
  { sandbox, temporal, uiUrl }: LocalStack,
  report: JobReport,
): Promise<boolean> {
  const { entries } = (await readJson(`${sandbox.url}/_sandbox/ledger`)) as { entries: LedgerEntry[] };
  const ofThisJob = entries.filter(({ requestId }) => requestId?.startsWith(`${report.key}.`));
  const accepted = ofThisJob.filter(({ kind, applied }) => kind === 'submit' && applied).length;
  print('');
  print(`${report.workflowId} ${report.status}`);
  if (report.error) print(`  ${report.error}`);
  print(`  the service saw   ${accepted} POST accepted, ${ofThisJob.length - accepted} polls`);
  print(`  its task          ${report.taskId ?? 'none'}`);
  const saved = await saveResult(report);
  if (saved) print(`  the result        ${saved}`);
  print('');
  print('Where to look');
  if (uiUrl) {
    print(`  ./bin/segue dev --state ${STATE}   opens the same state, with the UI, until Ctrl-C; then`);
    print(`  ${workflowUrl(uiUrl, temporal.namespace, report.workflowId)}`);
  } else {
    print(`  workflow ${report.workflowId} in namespace ${temporal.namespace} of ${temporal.address}`);
  }
  return accepted === 1;
}

async function readJson(url: string): Promise<unknown> {
  const response = await fetch(url);
  return response.json();
}

async function saveResult({ key, info }: JobReport): Promise<string | undefined> {
  const url = (info as { images?: { url: string }[] } | null)?.images?.[0]?.url;
  if (url === undefined) return undefined;
  const response = await fetch(url);
  const file = path.join(STATE, `${key}.png`);
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  return file;
}
