/** What a campaign keeps in its project. */
import { addMediaUpdate } from '../../../src/contract';
import { campaignJobKey } from '../../../src/contract/ids';
import { cutout, keptOf, newCampaign, useCampaigns } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { segue } from '../../support/servers/segueCommand';
import { addFault, answering, ask } from '../../support/service/sandbox';

const PICTURE = { image_url: 'http://127.0.0.1:9/none.png', mask_url: 'http://127.0.0.1:9/none.png' };
const refusal = answering(422, 'update-project');

describe.each([true, false])('with ETags: %s', (etags) => {
  const { sandbox, settings, start, startApproving, summary } = useCampaigns({ etags });

  test('a project that does not take the configuration ends the campaign before anything is paid for', async () => {
    const spec = await newCampaign(sandbox.url, { media: { cutout: cutout(sandbox.url) } });
    await addFault(sandbox.url, refusal);
    const campaign = await start(spec);
    const problem = expect.stringMatching(/^the project did not take .* configuration/) as unknown;
    await expect(campaign.result()).rejects.toMatchObject({
      cause: { type: 'CampaignFailed', details: [{ problems: [problem] }] },
    });
    expect(await summary()).toMatchObject({ submissions: 0, patches: 0 });
  });

  test('a configuration too large to keep says whose place it is, and another campaign leaves it alone', async () => {
    const long = { prompt: 'x'.repeat(260_000) };
    const spec = await newCampaign(sandbox.url, {
      scope: { organization: '1' },
      media: {
        cutout: cutout(sandbox.url),
        // Refused by the service before any cost: only its length matters here.
        long: { tool: 'image-outpainting', optional: true, request: { ...PICTURE, ...long } },
      },
      approval: { from: 'u-2' },
    });
    const campaign = await start(spec);
    await campaign.untilStage('approving');
    expect((await keptOf(sandbox.url, spec)).configuration).toEqual({
      key: spec.key,
      tooLarge: expect.any(Number),
      see: `the run ${campaign.handle.workflowId}`,
    });
    const other = await start({ ...spec, key: `${spec.key}-other` });
    await expect(other.result()).rejects.toMatchObject({
      cause: { details: [{ problems: [expect.stringMatching(`^at: campaign ${spec.key} still runs`)] }] },
    });
    await campaign.handle.terminate();
  });

  test('what the project does not take is said, and tried again when the campaign moves on', async () => {
    const { spec, campaign } = await startApproving();
    await addFault(sandbox.url, refusal);
    // The job must not end meanwhile: the project would refuse its result, too.
    const slow = {
      operation: 'remove-background',
      match: { every: 1 },
      fault: 'delay',
      ms: 600_000,
    } as const;
    await addFault(sandbox.url, { ...slow, when: 'before' });
    const added = { name: 'more', by: 'Olga', ...cutout(sandbox.url) };
    await campaign.handle.executeUpdate(addMediaUpdate, { args: [added] });
    await eventually('the refusal', async () => (await campaign.status()).unsaved?.includes('configuration'));
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await campaign.untilRound(2);
    await campaign.decide({ decision: 'approve', by: 'Olga' });
    expect(await campaign.result()).toMatchObject({ status: 'completed', written: { ok: true } });
    expect(await keptOf(sandbox.url, spec)).toMatchObject({
      lifecycle: { stage: 'completed' },
      configuration: { media: { cutout: cutout(sandbox.url), more: cutout(sandbox.url) } },
    });
  });

  test('what the project does not take to the end is told with the end', async () => {
    const { spec, campaign } = await startApproving();
    await addFault(sandbox.url, refusal);
    await campaign.decide({ decision: 'approve', by: 'Olga' });
    expect(await campaign.result()).toMatchObject({
      status: 'completed',
      written: { ok: false, error: expect.stringMatching(/^(?=.*approvals)(?=.*lifecycle).*: /) },
    });
    const { stdout, stderr, code } = await segue(['campaign', 'follow', spec.key], settings);
    expect(code).toBe(1);
    expect(stdout).toMatch(/ unsaved, completed\nthe project does not show the end: /);
    expect(stderr).not.toContain('retry');
    await eventually('its stage in the list', async () => {
      const { stdout: listed } = await segue(['campaign', 'list', '--stage', 'unsaved', '--json'], settings);
      return listed
        .split('\n')
        .some((line) => line.includes(spec.key) && line.includes('"status":"unsaved"'));
    });
  });

  test('whatever changes while a save is on its way is in the project at the end', async () => {
    const { spec, campaign } = await startApproving();
    const slow = { operation: 'update-project', match: { every: 1 }, fault: 'delay', ms: 200 } as const;
    await addFault(sandbox.url, { ...slow, when: 'before' });
    const names = Array.from({ length: 6 }, (_unused, n) => `more-${n}`);
    for (const name of names) {
      const added = { name, by: 'Olga', ...cutout(sandbox.url) };
      await campaign.handle.executeUpdate(addMediaUpdate, { args: [added] });
    }
    await eventually('an answer', () =>
      campaign.decide({ decision: 'reject', by: 'Olga', comment: 'enough' }).catch(() => undefined),
    );
    expect(await campaign.result()).toMatchObject({ status: 'rejected', written: { ok: true } });
    const kept = await keptOf(sandbox.url, spec);
    expect(kept).toMatchObject({ lifecycle: { stage: 'rejected' }, approvals: [{ comment: 'enough' }] });
    expect(Object.keys(kept.configuration.media ?? {})).toEqual(['cutout', ...names]);
  });

  test('a repeat that fails leaves the result that was paid for, and stands beside it', async () => {
    const { spec, campaign } = await startApproving();
    const key = campaignJobKey(spec.key, 'cutout');
    const repeat = campaignJobKey(spec.key, 'cutout', 1);
    expect((await keptOf(sandbox.url, spec)).media?.cutout).toMatchObject({ key, info: expect.anything() });
    await addFault(sandbox.url, answering(422, 'remove-background'));
    await campaign.decide({ decision: 'change', by: 'Olga', jobs: ['cutout'] });
    await campaign.untilRound(2);
    expect(await campaign.status()).toMatchObject({ jobs: [{ status: 'failed', repeats: 1 }] });
    expect((await keptOf(sandbox.url, spec)).media?.cutout).toMatchObject({
      ...{ key, info: expect.anything() },
      repeat: { key: repeat, status: 'failed' },
    });
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await campaign.decide({ decision: 'change', by: 'Olga', jobs: ['cutout'] });
    await campaign.untilRound(3);
    const { cutout: last } = (await keptOf(sandbox.url, spec)).media ?? {};
    expect(last).toMatchObject({ key: campaignJobKey(spec.key, 'cutout', 2), info: expect.anything() });
    expect(last).not.toHaveProperty('repeat');
    await campaign.decide({ decision: 'approve', by: 'Olga' });
    await campaign.result();
  });
});
