/** What the approver of a campaign decides. */
import { campaignJobKey, mediaWorkflowId } from '../../../src/contract/ids';
import { cutout, keptOf, newCampaign, notificationsOf, useCampaigns } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { addFault, answering } from '../../support/service/sandbox';

const { sandbox, start, summary } = useCampaigns();

describe('the approver', () => {
  const approval = { from: 'u-2' };
  const notify = { userId: 'u-1', workspaceId: '1' };

  test('has jobs made again under new keys, and only those', async () => {
    const spec = await newCampaign(sandbox.url, {
      notify,
      approval,
      media: {
        cutout: cutout(sandbox.url),
        banner: {
          tool: 'remove-background',
          request: { image_url: { from: 'cutout', at: '/images/0/url' } },
        },
      },
    });
    const campaign = await start(spec);
    await campaign.untilStage('approving');
    const change = { decision: 'change' as const, by: 'Olga', comment: 'brighter', jobs: ['cutout'] };
    expect(await campaign.decide(change)).toEqual({ stage: 'producing', round: 1, stale: ['banner'] });
    await campaign.untilRound(2);
    await expect(campaign.decide({ ...change, round: 1 })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('round') },
    });
    await campaign.decide({ decision: 'approve', by: 'Olga' });
    expect(await campaign.result()).toMatchObject({
      status: 'completed',
      jobs: [
        { repeats: 1, workflowId: mediaWorkflowId(campaignJobKey(spec.key, 'cutout', 1)) },
        { repeats: 0 },
      ],
    });
    expect(await summary()).toMatchObject({ submissions: 3, duplicates: 0, duplicateNotifications: 0 });
    expect((await keptOf(sandbox.url, spec)).media).toMatchObject({
      cutout: { key: `${spec.key}~cutout+2` },
    });
  });

  test('rejects', async () => {
    const spec = await newCampaign(sandbox.url, { notify, approval, media: { cutout: cutout(sandbox.url) } });
    const campaign = await start(spec);
    await campaign.untilStage('approving');
    await campaign.decide({ decision: 'reject', by: 'Olga', comment: 'not now' });
    expect(await campaign.result()).toMatchObject({ status: 'rejected' });
    expect((await notificationsOf(sandbox.url)).map(({ request }) => request.category)).toEqual([
      'agentNeedsInput',
      'agentError',
    ]);
  });

  test('is told what is wrong with a decision, all at once', async () => {
    const spec = await newCampaign(sandbox.url, { notify, approval, media: { cutout: cutout(sandbox.url) } });
    const campaign = await start(spec);
    await campaign.untilStage('approving');
    const bad: [object, RegExp][] = [
      [{ decision: 'maybe' }, /decision: .*by: /],
      [{ decision: 'change', by: 'Olga' }, /jobs: /],
      [{ decision: 'change', by: 'Olga', jobs: ['nobody'] }, /nobody/],
      [{ decision: 'approve', by: 'Olga', jobs: ['cutout'] }, /only a change/],
    ];
    for (const [decision, words] of bad)
      await expect(campaign.decide(decision as never)).rejects.toMatchObject({
        cause: { message: expect.stringMatching(words) },
      });
    await campaign.decide({ decision: 'approve', by: 'Olga' });
    await campaign.result();
    await expect(campaign.decide({ decision: 'approve', by: 'Olga' })).rejects.toThrow();
  });

  test('who could not be asked is named in the status, and the operator is told', async () => {
    const spec = await newCampaign(sandbox.url, { notify, approval, media: { cutout: cutout(sandbox.url) } });
    await addFault(sandbox.url, answering(400, 'notify'));
    const campaign = await start(spec);
    const { remarks } = await eventually('the remark', async () => {
      const status = await campaign.status();
      return status.remarks.length > 0 ? status : undefined;
    });
    expect(remarks).toEqual([expect.stringMatching(/^u-2 was not notified \(approval-1\): .*400/)]);
    await campaign.decide({ decision: 'approve', by: 'Olga' });
    expect(await campaign.result()).toMatchObject({ status: 'completed', notified: { status: 'refused' } });
    expect((await keptOf(sandbox.url, spec)).lifecycle).toMatchObject({ remarks });
  });
});
