/** `segue dev` and `segue demo`: everything on one machine, until Ctrl-C or for one campaign. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isPortFree } from '@segue/devserver';
import { type LedgerEntry, SANDBOX_KEY } from '@segue/sandbox';
import { loadLocalConfig } from '../../config';
import { type CampaignSpec } from '../../contract';
import { SEGUE } from '../../platform/package';
import { CAMPAIGN } from '../campaign';
import { withTemporal } from '../lib/connect';
import { reportPage } from '../report';
import { env, EXIT, EXIT_OF, type ExitCode, io, print, say, UnreachableError } from '../lib/io';
import { type LocalStack, startLocalStack } from './localStack';
import { DEV_PORTS, untilAskedToStop } from './process';
import { readPace } from './sandbox';
import { requireFreePorts } from './temporal';
import { installRuntime } from './worker';

export interface DevFlags {
  port: number;
  uiPort: number;
  sandboxPort: number;
  state: string;
  pace?: string;
}

export async function runDev({ port, uiPort, sandboxPort, state, ...flags }: DevFlags): Promise<void> {
  const pace = readPace(flags.pace);
  const config = loadLocalConfig(env());
  installRuntime(config.logLevel);
  await requireFreePorts({
    ...(!config.temporal.existing && { '--port': port, '--ui-port': uiPort }),
    '--sandbox-port': sandboxPort,
  });
  const ports = { temporal: port, ui: uiPort, sandbox: sandboxPort };
  const stack = await startLocalStack({ config, state, ports, pace });
  const stopped = untilAskedToStop();
  print(`ready: polling ${stack.worker.taskQueues.join(', ')}`);
  print(`  Temporal  ${stack.temporal.address}`);
  if (stack.uiUrl) print(`  UI        ${stack.uiUrl}`);
  print(`  sandbox   ${stack.sandbox.url} (key ${SANDBOX_KEY})`);
  print(`  state     ${state}`);
  print('Try it from another terminal:');
  print(
    `  TEMPORAL_ADDRESS=${stack.temporal.address} SEGUE_TASK_QUEUE=${stack.config.taskQueue} ` +
      'SEGUE_POLL_MIN=1s SEGUE_POLL_MAX=2s ' +
      `${SEGUE} media run remove-background --image-url ${stack.sandbox.url}/samples/shoe.png`,
  );
  const reason = await Promise.race([stack.broken, stopped.then(() => undefined)]);
  say(reason ? `${reason}; stopping` : 'stopping: finishing what is in flight');
  await stack.stop();
  if (reason) throw new UnreachableError(reason);
}

const DEMO_STATE = path.join('.segue', 'demo');

export async function runDemo(): Promise<void> {
  const config = loadLocalConfig(env());
  installRuntime('error');
  // Default ports, if free: the printed address is then right when `segue dev` opens this state.
  const free = async (port: number): Promise<number> => ((await isPortFree(port)) ? port : 0);
  const { temporal, ui, sandbox } = DEV_PORTS;
  const ports = { temporal: await free(temporal), ui: await free(ui), sandbox: await free(sandbox) };
  const stack = await startLocalStack({ config, state: DEMO_STATE, ports });
  try {
    const key = `demo-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const exitCode = await runCampaign(stack, key);
    const paidOnce = await showWhatHappened(stack, key);
    io().exitCode = paidOnce ? exitCode : EXIT.failed;
  } finally {
    await stack.stop();
  }
}

const REPORT = path.join(DEMO_STATE, 'report.html');
const APPROVER = 'u-1';

/** A cut-out, a banner made from it, and a transcript of the sandbox's sample recording. */
function campaignOf({ sandbox: { url: sandboxUrl }, workspace }: LocalStack, key: string): CampaignSpec {
  return {
    ...{ key, project: { resourcetype: 'campaign', id: 'c1a4d5e0-1111-4222-8333-444455556666' } },
    at: `/${key}`,
    notify: { userId: APPROVER, workspaceId: String(workspace) },
    media: {
      cutout: {
        tool: 'remove-background',
        request: { image_url: `${sandboxUrl}/samples/shoe.png`, magic_crop: true },
      },
      banner: {
        tool: 'image-outpainting',
        request: {
          image_url: { from: 'cutout', at: '/images/0/url' },
          mask_url: `${sandboxUrl}/samples/mask.png`,
          prompt: 'a beach in spring',
        },
      },
    },
    transcripts: { intro: { id: '5f0c8d7e-2222-4333-8444-555566667777', format: 'vtt' } },
    approval: { from: APPROVER },
  };
}

/** Shows the campaign until its end, approves it, and writes a report. */
async function runCampaign(stack: LocalStack, key: string): Promise<ExitCode> {
  const { temporal, config } = stack;
  const settings = { ...config, poll: { ...config.poll, min: '300ms', max: '500ms' } as const };
  say(`Campaign ${key}: a cut-out, a banner made from it, and a transcript; then the demo approves them`);
  return withTemporal(async ({ segue, temporal: client }) => {
    const campaign = await segue(settings).campaign.start(campaignOf(stack, key));
    const draw = CAMPAIGN.watch();
    const states = campaign.progress();
    let state = await states.next();
    for (let isApproved = false; !state.done; state = await states.next()) {
      draw(state.value);
      if (isApproved || !state.value.approval) continue;
      await campaign.decide({ decision: 'approve', by: APPROVER, comment: 'Fresh!' });
      isApproved = true;
    }
    draw.clear?.();
    await CAMPAIGN.show(state.value, campaign);
    await writeFile(REPORT, await reportPage(client, campaign, { pictures: true, proxy: {} }));
    return EXIT_OF[state.value.status];
  }, temporal);
}

/** Prints what the service saw; true when it accepted one POST for each job. */
async function showWhatHappened({ sandbox, temporal, uiUrl }: LocalStack, key: string): Promise<boolean> {
  const ledger = await fetch(`${sandbox.url}/_sandbox/ledger`);
  const { entries } = (await ledger.json()) as { entries: LedgerEntry[] };
  const ofMedia = entries.filter(({ requestId }) => requestId?.startsWith(`${key}~`));
  const accepted = ofMedia.filter(({ kind, applied }) => kind === 'submit' && applied).length;
  print(`The service accepted ${accepted} POSTs for 2 media jobs.`);
  print('Where to look:');
  print(`  ${REPORT}   the report: what happened when, with pictures; open it in a browser`);
  if (uiUrl) {
    print(`  ${SEGUE} dev --state ${DEMO_STATE}   opens the same state, with the UI, until Ctrl-C; then`);
    print(`  ${uiUrl}/namespaces/${temporal.namespace}/workflows/${encodeURIComponent(`campaign/${key}`)}`);
  } else {
    print(`  workflow campaign/${key} in namespace ${temporal.namespace} of ${temporal.address}`);
  }
  return accepted === 2;
}
