/** Campaigns whose histories are committed: what goes wrong in one, and what becomes of it. */
import { type WorkflowHandle } from '@temporalio/client';
import {
  type AddMediaOrder,
  addMediaUpdate,
  type CampaignInput,
  jobNewsSignal,
  pauseUpdate,
  resumeUpdate,
} from '../../src/contract';
import { mediaKeyOf } from '../../src/ids';
import { startSandbox } from '../../src/sandbox/server';
import {
  cutout,
  keptOf,
  newCampaign,
  startCampaign,
  startIdleCampaign,
  TestCampaign,
} from '../support/campaign';
import { continueAsNew } from '../support/continueAsNew';
import { decideByLedger } from '../support/deciding';
import { eventually } from '../support/eventually';
import { forgetRun } from '../support/forgetRun';
import { seedTranscription } from '../support/records';
import { resetRun } from '../support/reset';
import { addFault, answering, ask } from '../support/sandbox';
import { segueClient, testConfig, withWorker } from '../support/temporal';
import {
  approved,
  BY_SAM,
  conducting,
  decide,
  lostAnswer,
  NOTIFY,
  onCutout,
  unfinished,
} from './recordCampaign';
import { handingOver, type Scenario, whereHistoriesAreShort } from './scenario';

const BAD = { tool: 'remove-background', request: { image_url: 'http://127.0.0.1:9/none.png' } };

async function mend(sandboxUrl: string): Promise<void> {
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
}

async function untilTask(campaign: TestCampaign): Promise<void> {
  await eventually('a task', async () => {
    const { jobs } = await campaign.status();
    return jobs.some(({ taskId }) => taskId !== null);
  });
}

/** Of its first job. */
async function firstKey(campaign: TestCampaign): Promise<string> {
  const { jobs } = await campaign.status();
  return mediaKeyOf(jobs[0]?.workflowId ?? '') ?? '';
}

/** Whether everything that it asked for is there: what activities read, and what the project's writer answers. */
async function hasNothingToDo(handle: WorkflowHandle): Promise<boolean> {
  const { raw } = await handle.describe();
  const { events = [] } = await handle.fetchHistory();
  const asked = events?.filter(
    ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name === 'requestChange',
  );
  const answers = events?.filter((event) => event.workflowExecutionSignaledEventAttributes);
  const isBusy = Boolean(raw.pendingWorkflowTask) || (raw.pendingActivities ?? []).length > 0;
  return !isBusy && asked?.length !== 0 && asked?.length === answers?.length;
}

const TEXT = { from: 'intro', at: '/text' };
/** Takes a long transcript several times, and is long itself. */
const LARGE = {
  ...{ name: 'many', by: 'sam', optional: true, tool: 'image-outpainting' },
  request: {
    ...{ image_url: TEXT, mask_url: TEXT, negative_prompt: TEXT, guidance_scale: TEXT, count: TEXT },
    prompt: 'x'.repeat(300_000),
  },
};
/** One is not too large, and two of them are more than begin at once. */
const HALF_LARGE = {
  ...{ optional: true, tool: 'remove-background' },
  request: { image_url: TEXT, magic_crop: TEXT, background_color: TEXT, output_format: TEXT },
};

/** One long transcript, of so many letters. */
async function longTranscript(url: string, letters = 60_000) {
  const cues = [{ start: 0, end: 1, text: 'x'.repeat(letters) }];
  return { transcripts: { intro: { id: await seedTranscription(url, { cues }) } }, concurrency: 10 };
}

const adding =
  (orders: AddMediaOrder[]) =>
  async ({ handle }: TestCampaign): Promise<void> => {
    await handle.executeUpdate(pauseUpdate, BY_SAM);
    for (const order of orders) await handle.executeUpdate(addMediaUpdate, { args: [order] });
    await handle.executeUpdate(resumeUpdate, BY_SAM);
  };

function researched(url: string) {
  return { ...approved(url), research: { boards: ['launch-board', 'no-board'] } };
}

/** The server wants short histories, and people keep the campaign busy while it waits for its approver. */
const busyWhileApproving = whereHistoriesAreShort(
  60,
  conducting(researched, async (campaign) => {
    await campaign.untilStage('approving');
    await campaign.decide({ decision: 'change', by: 'sam', jobs: ['cutout'] });
    await campaign.untilRound(2);
    const before = (await campaign.handle.describe()).runId;
    const order = (update: typeof pauseUpdate): Promise<unknown> =>
      // One that meets the moment in between is told so, and asks again.
      campaign.handle.executeUpdate(update, BY_SAM).catch(() => undefined);
    await eventually('another run', async () => {
      await order(pauseUpdate);
      await order(resumeUpdate);
      return (await campaign.handle.describe()).runId !== before;
    });
    if ((await campaign.status()).paused) await order(resumeUpdate);
    await campaign.decide({ decision: 'approve', by: 'sam', round: 2 });
  }),
);

/** Jobs say that they end while it reads how two others ended, which said so too early; then its history is long. */
const endingMeanwhile = whereHistoriesAreShort(
  90,
  conducting(
    async (url) => ({
      ...(await unfinished(url)),
      media: { slow: cutout(url), slower: cutout(url), quick: cutout(url) },
    }),
    async (campaign, url, temporal) => {
      const before = (await campaign.handle.describe()).runId;
      const jobs = await eventually('all tasks', async () => {
        const { jobs } = await campaign.status();
        return jobs.every(({ taskId }) => taskId !== null) ? jobs : undefined;
      });
      const [slow = '', slower = '', quick = ''] = jobs.map(({ workflowId }) => workflowId ?? '');
      for (const workflowId of [slow, slower])
        await campaign.handle.signal(jobNewsSignal, { workflowId, stage: 'succeeded', taskId: null });
      await temporal.client.workflow.getHandle(quick).terminate('enough');
      const order = (update: typeof pauseUpdate): Promise<unknown> =>
        campaign.handle.executeUpdate(update, BY_SAM);
      for (let times = 0; times < 8; times++) {
        await order(pauseUpdate);
        await order(resumeUpdate);
      }
      await eventually('another run', async () => (await campaign.handle.describe()).runId !== before);
      await mend(url);
    },
  ),
);

export const campaignTroubleScenarios: Record<string, Scenario> = {
  /** Where the campaign is to stand, the project has something else. */
  'campaign-configuration-refused': conducting((url) => ({
    at: '/theirs/campaign',
    notify: NOTIFY,
    media: { cutout: cutout(url) },
  })),

  'campaign-unreadable-while-preparing': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-board'));
      return {
        require: { boards: ['launch-board'] },
        research: { boards: ['launch-board'] },
        media: { cutout: cutout(url) },
      };
    },
    async (campaign, url) => {
      await eventually('the trouble', async () => {
        const { raw } = await campaign.handle.describe();
        return (raw.pendingActivities ?? []).some(
          ({ activityType, attempt }) => activityType?.name === 'prepareCampaign' && Number(attempt) > 1,
        );
      });
      await mend(url);
    },
  ),

  'campaign-service-denied': conducting(
    async (url) => {
      await addFault(url, answering(401, 'get-board'));
      return { require: { boards: ['launch-board'] }, notify: NOTIFY, media: { cutout: cutout(url) } };
    },
    undefined,
    { config: { submit: { timeout: '5s', authGrace: '1s' } } },
  ),

  'campaign-overdue-job': (temporal, keep) => {
    const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '1s', giveUp: '7d' } });
    return conducting(
      unfinished,
      async (campaign, url) => {
        await campaign.untilJob('cutout', 'overdue');
        await mend(url);
        const job = await segueClient(temporal, config).media.get(await firstKey(campaign));
        await job.pollNow();
      },
      { config },
    )(temporal, keep);
  },

  'campaign-optional-job-failed': conducting((url) => ({
    notify: NOTIFY,
    media: {
      cutout: cutout(url),
      extra: { ...BAD, optional: true },
      onExtra: {
        ...{ tool: 'remove-background', optional: true },
        request: { image_url: { from: 'extra', at: '/images/0/url' } },
      },
    },
  })),

  'campaign-request-too-large': conducting(longTranscript, adding([LARGE])),

  'campaign-begun-in-bunches': conducting(async (url) => ({
    ...(await longTranscript(url, 8_500)),
    media: { a: HALF_LARGE, b: HALF_LARGE },
  })),

  'campaign-addition-refused': conducting(approved, async (campaign) => {
    await campaign.untilStage('approving');
    const order = { name: 'more', by: 'sam', tool: 'remove-background', request: {} };
    await campaign.handle.executeUpdate(addMediaUpdate, { args: [order] }).catch(() => undefined);
    await decide('approve')(campaign);
  }),

  /** Another campaign runs there. */
  'campaign-place-taken': (temporal, keep) => {
    const config = testConfig();
    let first: TestCampaign | undefined;
    return conducting(
      async (url) => {
        const { project, ...spec } = await newCampaign(url, approved(url));
        first = await startCampaign(temporal, config, { project, ...spec });
        await first.untilStage('approving');
        return { ...approved(url), project };
      },
      async (second) => {
        await second.result().catch(() => undefined);
        await first?.handle.terminate();
      },
      { config },
    )(temporal, keep);
  },

  /** Another took it after this one had looked, and wrote later. */
  'campaign-place-given-up': (temporal, keep) => {
    let spec: CampaignInput | undefined;
    return conducting(
      async (url) => {
        spec = await newCampaign(url, { scope: { organization: '1' }, media: { cutout: cutout(url) } });
        await addFault(url, answering(503, 'get-workspace'));
        return spec;
      },
      async (campaign, url) => {
        const given = spec;
        if (!given) return;
        const { key, project } = given;
        await eventually('its state to be there', async () => {
          const kept = await keptOf(url, given).catch(() => undefined);
          return kept?.configuration.key === key && kept.lifecycle.stage === 'preparing';
        });
        const other = await startIdleCampaign(temporal, `other-${key}`);
        const theirs = { configuration: { key: `other-${key}` }, lifecycle: { stage: 'approving' } };
        const place = `/projects/${project.resourcetype}/${project.id}`;
        await ask(url, `PATCH ${place}`, { body: { data: { theirs: true, campaign: theirs } } });
        await mend(url);
        await campaign.result().catch(() => undefined);
        await other.terminate();
      },
    )(temporal, keep);
  },

  'campaign-result-gone': conducting(approved, async (campaign, _url, temporal) => {
    const { jobs } = await campaign.untilStage('approving');
    const workflowId = jobs[0]?.workflowId ?? '';
    await forgetRun(temporal, workflowId);
    const built = { name: 'banner', by: 'sam', optional: true, ...onCutout('/images/0/url') };
    await campaign.handle.executeUpdate(addMediaUpdate, { args: [built] });
    await campaign.untilRound(2);
    await decide('approve')(campaign);
  }),

  'campaign-results-refused': conducting(approved, async (campaign, url) => {
    await campaign.untilStage('approving');
    await eventually('the question in the project', async () => (await campaign.status()).unsaved === null);
    await addFault(url, answering(422, 'update-project'));
    await campaign.decide({ decision: 'approve', by: 'sam' });
  }),

  'campaign-held-job-decided': (temporal, keep) => {
    const config = testConfig();
    return conducting(
      lostAnswer,
      async (campaign, url) => {
        await campaign.untilJob('cutout', 'held');
        await decideByLedger(await segueClient(temporal, config).media.get(await firstKey(campaign)), url);
      },
      { config },
    )(temporal, keep);
  },

  'campaign-paused-while-preparing': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-workspace'));
      return { research: { boards: ['launch-board'] }, media: { cutout: cutout(url) } };
    },
    async ({ handle }, url) => {
      await handle.executeUpdate(pauseUpdate, BY_SAM);
      await mend(url);
      await eventually('what was found', () => hasNothingToDo(handle));
      await handle.executeUpdate(resumeUpdate, BY_SAM);
    },
  ),

  'campaign-place-not-read': conducting(async (url) => {
    await addFault(url, { ...answering(400, 'get-project'), match: { nth: 1 } });
    return { media: { cutout: cutout(url) } };
  }),

  /** Before it knows whose place in the project it is. */
  'campaign-cancelled-without-a-place': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-project'));
      return { media: { cutout: cutout(url) } };
    },
    async ({ handle }) => {
      await eventually('its first task', async () => (await handle.describe()).historyLength > 4);
      await handle.cancel();
    },
  ),

  'campaign-stage-told-later': conducting(async (url) => {
    await addFault(url, { ...answering(429, 'notify'), match: { nth: 1 } });
    return approved(url);
  }, decide('approve')),

  /** What was decided is applied again, before there is anything to decide. */
  'campaign-reset-after-its-decision': conducting(approved, async (campaign, _url, temporal) => {
    await decide('approve')(campaign);
    await campaign.result();
    await resetRun(temporal, { workflowId: campaign.handle.workflowId });
    await decide('approve')(campaign);
  }),

  /** It learns that there is room for another job when it is not to begin any. */
  'campaign-cancelled-while-a-job-ends': conducting(
    async (url) => ({
      ...(await unfinished(url)),
      ...{ media: { first: cutout(url), second: cutout(url) }, concurrency: 1 },
    }),
    async (campaign, url) => {
      await untilTask(campaign);
      const { handle } = campaign;
      const workflowId = (await campaign.status()).jobs[0]?.workflowId ?? '';
      await handle.signal(jobNewsSignal, { workflowId, stage: 'succeeded', taskId: null });
      await eventually('the read of its end', async () => {
        const { raw } = await handle.describe();
        return raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'readEnd');
      });
      await handle.cancel();
      await mend(url);
    },
  ),

  /** It cannot even be told to stop. */
  'campaign-cancelled-when-a-job-is-gone': conducting(unfinished, async (campaign, _url, temporal) => {
    await untilTask(campaign);
    await resetRun(temporal, { workflowId: campaign.handle.workflowId });
    await campaign.untilLooks(1);
    const { jobs } = await campaign.status();
    await forgetRun(temporal, jobs[0]?.workflowId ?? '');
    await campaign.handle.cancel();
  }),

  /** Their ends come together, and are read so. */
  'campaign-cancelled-with-many-jobs': conducting(
    async (url) => ({
      ...(await unfinished(url)),
      media: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, cutout(url)])),
    }),
    async (campaign) => {
      await eventually('all tasks', async () => {
        const { jobs } = await campaign.status();
        return jobs.every(({ taskId }) => taskId !== null);
      });
      await campaign.handle.cancel();
      await campaign.result().catch(() => undefined);
      expect(await campaign.activities()).toEqual(expect.arrayContaining(['cancelRuns', 'readEnds']));
    },
  ),

  'campaign-cancelled-while-preparing': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-workspace'));
      return { media: { cutout: cutout(url) } };
    },
    async ({ handle }, url) => {
      await eventually('its first task', async () => (await handle.describe()).historyLength > 4);
      await handle.cancel();
      await mend(url);
    },
  ),

  'campaign-attached-to-running-jobs': conducting(unfinished, async (campaign, url, temporal) => {
    await untilTask(campaign);
    await resetRun(temporal, { workflowId: campaign.handle.workflowId });
    await campaign.untilJob('cutout', 'running');
    await mend(url);
  }),

  /** The worker that prepared it knew its zone; the one that goes on with it does not. */
  async 'campaign-zone-forgotten'(temporal, keep) {
    const sandbox = await startSandbox();
    const config = testConfig();
    const input = await newCampaign(sandbox.url, approved(sandbox.url));
    const { handle } = await startCampaign(temporal, config, input);
    const clock = { timezone: 'Mars/Olympus', startOfWeek: 1, remarks: [] };
    const { poll } = config;
    await continueAsNew(temporal, config.taskQueue, {
      ...input,
      poll,
      carried: { stage: 'producing', clock },
    });
    await withWorker(temporal, config, sandbox.url, async () => {
      const campaign = new TestCampaign(temporal.client.workflow.getHandle(handle.workflowId));
      await eventually('the remark', async () => {
        const { remarks } = await campaign.status();
        return remarks.some((words) => words.startsWith('reminders go by UTC: '));
      });
      await decide('approve')(campaign);
      await campaign.result();
      await keep(campaign.handle);
    });
    await sandbox.stop();
  },

  'campaign-ends-carried-over': endingMeanwhile,
  'campaign-ends-handing-over': handingOver(endingMeanwhile),

  'campaign-question-carried-over': busyWhileApproving,
  'campaign-question-handing-over': handingOver(busyWhileApproving),
};
