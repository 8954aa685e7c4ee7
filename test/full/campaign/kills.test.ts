/** Workers that die between the stages of a campaign. */
import { type CampaignStage } from '../../../src/contract';
import { campaignJobKey } from '../../../src/contract/ids';
import { searchAttributes } from '../../../src/contract/searchAttributes';
import { cutout, keptOf, newCampaign, notificationsOf, startCampaign } from '../../support/builders/campaign';
import { decideByLedger } from '../../support/builders/deciding';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { expectHoldsExplained, type LedgerAtKill, killWorker } from '../../support/service/onWire';
import { readLedger } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

const ORDER: CampaignStage[] = ['preparing', 'researching', 'producing', 'approving', 'completed'];

/** Without ETags, a PATCH that was on its way at a kill is waited out for a minute. */
const LONGEST_STAGE_MS = 180_000;

/** Each takes the time in which a dead worker is noticed. */
const BOUNDARIES: CampaignStage[] = shared().full ? ORDER : ['researching', 'producing'];

test(
  'P1 P4: kill -9 of the worker as each stage begins: one POST a job, one notification an event',
  async () => {
    const sandboxUrl = await processes.sandbox('--pace', 'polls=2', '--no-etags');
    const config = testConfig({ submit: { timeout: '5s', authGrace: '1h' } });
    const spec = await newCampaign(sandboxUrl, {
      scope: { organization: '1' },
      notify: { userId: 'u-1', workspaceId: '1' },
      research: { drafts: { accounts: ['1'] }, boards: ['launch-board'] },
      media: {
        cutout: cutout(sandboxUrl),
        banner: {
          tool: 'remove-background',
          request: { image_url: { from: 'cutout', at: '/images/0/url' } },
        },
      },
      approval: { from: 'u-2' },
    });
    const start = () => processes.worker(config.taskQueue, sandboxUrl);
    const { media } = segueClient(temporal, config);
    const campaign = await startCampaign(temporal, config, spec);
    /** As lists show it: no worker needs to answer. */
    const stage = async (): Promise<number> => {
      const { typedSearchAttributes } = await campaign.handle.describe();
      return ORDER.indexOf(typedSearchAttributes.get(searchAttributes.stage) as CampaignStage);
    };
    const decideHeld = async (): Promise<void> => {
      for (const name of Object.keys(spec.media ?? {})) {
        const job = await media.get(campaignJobKey(spec.key, name)).catch(() => undefined);
        if (!job || (await job.state())?.stage !== 'held') continue;
        await expectHoldsExplained(sandboxUrl, kills, [job.key]);
        await decideByLedger(job, sandboxUrl);
      }
    };

    const kills: LedgerAtKill[] = [];
    let worker = await start();
    for (const [index, name] of ORDER.slice(0, 4).entries()) {
      await eventually(
        `the stage ${name}`,
        async () => {
          await decideHeld();
          return (await stage()) >= index;
        },
        LONGEST_STAGE_MS,
      );
      if (!BOUNDARIES.includes(name)) continue;
      kills.push(await killWorker(worker, sandboxUrl));
      worker = await start();
    }
    await campaign.decide({ decision: 'approve', by: 'Olga' });
    const isCompleted = async () => (await stage()) === ORDER.indexOf('completed');
    await eventually('the end of all', isCompleted, LONGEST_STAGE_MS);
    await worker.end('SIGKILL');
    await start();
    const { status, notified } = await campaign.result();
    expect(status).toBe('completed');

    expect((await readLedger(sandboxUrl)).summary).toMatchObject({
      submissions: 2,
      duplicates: 0,
      duplicateNotifications: 0,
      lostKeys: 0,
    });
    expect(await keptOf(sandboxUrl, spec)).toMatchObject({
      lifecycle: { stage: 'completed', open: [] },
      media: { cutout: { info: expect.anything() }, banner: { info: expect.anything() } },
      approvals: [{ by: 'Olga' }],
    });
    const told = (await notificationsOf(sandboxUrl)).map(({ request }) => request.category);
    const completed = told.filter((category) => category === 'agentTaskCompleted').length;
    // One that was on its way when its worker died is uncertain, and not sent again.
    expect([
      ['sent', 1],
      ['uncertain', 1],
      ['uncertain', 0],
    ]).toContainEqual([notified?.status, completed]);
  },
  6 * LONGEST_STAGE_MS,
);
