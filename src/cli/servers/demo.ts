import path from 'node:path';
import { type LedgerEntry } from '@segue/sandbox';
import { saveFilesOf } from '../../client/files';
import { type JobReport } from '../../client/report';
import { loadLocalConfig } from '../../config';
import { type MediaState } from '../../contract';
import { isPortFree } from '../../temporal/ports';
import { withTemporal } from '../lib/connect';
import { EXIT } from '../lib/exit';
import { env, io, print, say } from '../lib/io';
import { workflowUrl } from '../lib/start';
import { type LocalStack, startLocalStack } from './localStack';
import { DEV_PORTS } from './process';
import { installRuntime } from './worker';

const STATE = path.join('.segue', 'demo');

export async function runDemo(): Promise<void> {
  const config = loadLocalConfig(env());
  installRuntime('error');
  // The usual ports where they are free, so that what the demo prints still holds when `segue dev` opens its state.
  const free = async (port: number): Promise<number> => ((await isPortFree(port)) ? port : 0);
  const { temporal, ui, sandbox } = DEV_PORTS;
  const ports = { temporal: await free(temporal), ui: await free(ui), sandbox: await free(sandbox) };
  const stack = await startLocalStack({ config, state: STATE, ports, say });
  try {
    const report = await removeBackground(stack);
    const paidOnce = await showWhatHappened(stack, report);
    io().exitCode = report.status === 'succeeded' && paidOnce ? EXIT.done : EXIT.failed;
  } finally {
    await stack.stop();
  }
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
  const ledger = await fetch(`${sandbox.url}/_sandbox/ledger`);
  const { entries } = (await ledger.json()) as { entries: LedgerEntry[] };
  const ofThisJob = entries.filter(({ requestId }) => requestId?.startsWith(`${report.key}.`));
  const accepted = ofThisJob.filter(({ kind, applied }) => kind === 'submit' && applied).length;
  print('');
  print(`${report.workflowId} ${report.status}`);
  if (report.error) print(`  ${report.error}`);
  print(`  the service saw   ${accepted} POST accepted, ${ofThisJob.length - accepted} polls`);
  print(`  its task          ${report.taskId ?? 'none'}`);
  const saved = await saveFilesOf(report.info, report.key, { into: STATE, at: '/images', proxy: {} });
  for (const file of typeof saved === 'string' ? [] : saved) print(`  the result        ${file.path ?? ''}`);
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
