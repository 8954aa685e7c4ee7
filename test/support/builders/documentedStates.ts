/** The states that documented commands are for, and what their placeholders stand for there. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Batch } from '../../../src/client/batches';
import { type Campaign } from '../../../src/client/campaigns';
import { type BatchItem, type CampaignInput } from '../../../src/contract';
import { eventually } from '../eventually';
import { type CommandLine } from '../servers/commandLine';
import { segue } from '../servers/segueCommand';
import { segueClient } from '../servers/temporal';
import { seedTranscription } from '../service/records';
import { addFault } from '../service/sandbox';
import { batchOf, cutouts } from './batch';
import { cutout, newCampaign } from './campaign';
import { heldRow, newKey, startHeldJob, startJob, tasksOf, untilSubmitted } from './jobs';

export type Values = Record<string, string>;

/** Polls so rarely that it is with the service until the end of the test. */
const SLOWLY = { poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } } as const;
export const NO_PICTURE = { image_url: 'http://127.0.0.1:9/none.png' };
const PROJECT = { TYPE: 'campaign', ID: 'c1a4d5e0-1111-4222-8333-444455556666' };
const SPECS = {
  campaign: 'examples/campaigns/cutout.yaml',
  outlook: 'examples/outlook.yaml',
  batch: 'examples/products.ndjson',
};

/** The first state whose pattern matches a command is made for it. Files are written to the folder. */
export function documentedStates(
  line: CommandLine,
  folder: string,
): [RegExp, () => Promise<Values> | Values][] {
  const { temporal, sandbox, config, settings } = line;
  const client = () => segueClient(temporal, config);

  return [
    [/^resolve --where .*K~i/, () => heldBatch()],
    [/^resolve .*--resubmit/, resubmittableJob],
    [/^(resolve|workflow .*media\/KEY)/, heldJob],
    [/^retry media\/K~iN/, failedItem],
    [/^retry media\/KEY~NAME/, failedJobOfCampaign],
    [/^retry transcript/, () => doneTranscript('FAILED')],
    [/^retry KEY\+2/, jobThatFailedTwice],
    [/^retry .*--again/, doneJob],
    [/^retry/, unsavedJob],
    [/^media cancel/, openJob],
    [/^media (run|start) TOOL/, () => ({ TOOL: 'remove-background', FILE: requestFile() })],
    [/^get task/, taskOfDoneJob],
    [/^(media (follow|status)|report ID)/, doneJob],
    [/^transcript cancel/, openTranscript],
    [/^(transcript|get (transcription|subtitles))/, () => doneTranscript()],
    [/^(wait|get) asset/, () => ({ ID: 'asset-1' })],
    [/^(wait|get) run/, () => ({ ID: 'run-1' })],
    [/^(wait|get) video/, () => ({ ID: 'video-1' })],
    [/^get voice/, () => ({ ID: '7d9f2c1e-4b6a-4a51-9a55-0f1b6c3d2e01' })],
    [/^get board/, () => ({ ID: 'launch-board' })],
    [/^get activity/, () => ({ TASK: 'task-7' })],
    [/^get drafts/, () => ({ IDS: '1,2' })],
    [/^(get )?project/, () => ({ ...PROJECT, FILE: fileOf({ mood: 'fresh' }) })],
    [/^notify send/, () => ({ ID: '1' })],
    [/^batch (run|start|check)/, () => ({ MANIFEST: SPECS.batch, K: newKey() })],
    [/^batch retry K\+2/, batchThatFailedTwice],
    [/^batch (retry|results .*--status failed)/, failedBatch],
    [/^batch (follow|results)/, () => doneBatch()],
    [/^batch resume/, pausedBatch],
    [/^batch/, async () => ofBatch(await openBatch())],
    [/^campaign (run|start)/, () => ({ SPEC: SPECS.campaign })],
    [/^(campaign follow|report campaign)/, doneCampaign],
    [/^campaign resume/, pausedCampaign],
    [/^(campaign|workflow update .*campaign\/KEY)/, async () => ofCampaign((await approvingCampaign()).key)],
    [/^outlook follow/, doneOutlook],
    [/^outlook/, () => ({ SPEC: SPECS.outlook, KEY: newKey() })],
    [
      /^schedule create/,
      () => ({ NAME: newKey(), TIMES: '0 3 * * *', TARGET: 'outlook', SPEC: SPECS.outlook }),
    ],
    [/^schedule resume NAME/, pausedSchedule],
    [/^schedule .* NAME/, newSchedule],
    [/^schema/, () => ({ NAME: 'outlook', TOOL: 'remove-background' })],
    [/--help$/, () => ({ COMMAND: 'held' })],
  ];

  function fileOf(content: unknown): string {
    const file = path.join(folder, `${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify(content));
    return file;
  }

  function requestFile(): string {
    return fileOf(cutout(sandbox.url).request);
  }

  async function heldJob(): Promise<Values> {
    const key = await startHeldJob(line, { submit: { timeout: '1s', authGrace: '1h' } });
    const row = await heldRow(line, key);
    const [task = ''] = await tasksOf(sandbox.url, key);
    const hold = (row.hold as { id: string }).id;
    const where = `WorkflowId = 'media/${key}'`;
    return { ...ofJob(key), TASK: task, TASK_ID: task, HOLD: hold, QUERY: where, WHY: 'not needed' };
  }

  async function resubmittableJob(): Promise<Values> {
    const held = await heldJob();
    const job = await client().media.get(held.KEY ?? '');
    await eventually('that it can be submitted again', async () => {
      const { resubmitAfter } = (await job.state())?.hold ?? {};
      return Date.now() >= Date.parse(resubmitAfter ?? '');
    });
    return held;
  }

  function ofJob(key: string): Values {
    return { KEY: key, ID: `media/${key}` };
  }

  /** Its key, when it is over. */
  async function ended(run: { key: string; wait: () => Promise<unknown> }): Promise<string> {
    await run.wait();
    return run.key;
  }

  async function doneJob(): Promise<Values> {
    return ofJob(await ended(await startJob(line, newKey())));
  }

  async function taskOfDoneJob(): Promise<Values> {
    const { taskId } = await (await startJob(line, newKey())).wait();
    return { ID: taskId ?? '' };
  }

  async function openJob(): Promise<Values> {
    const { key } = await startJob(line, newKey(), SLOWLY);
    await untilSubmitted(line, key);
    return ofJob(key);
  }

  async function jobThatFailedTwice(): Promise<Values> {
    const spec = { key: newKey(), tool: 'remove-background', request: NO_PICTURE };
    const key = await ended(await client().media.start(spec));
    await ended(await client().media.retry(key));
    return ofJob(key);
  }

  async function unsavedJob(): Promise<Values> {
    const project = { resourcetype: 'campaign', id: randomUUID() };
    const spec = { key: newKey(), ...cutout(sandbox.url), write: { project, at: '/mug' } };
    const { status } = await (await client().media.start(spec)).wait();
    expect(status).toBe('unsaved');
    return ofJob(spec.key);
  }

  async function openTranscript(): Promise<Values> {
    const id = await seedTranscription(sandbox.url, { pace: 'webhook' });
    return { KEY: (await client().transcripts.start({ transcriptionId: id })).key };
  }

  async function doneTranscript(outcome?: 'FAILED'): Promise<Values> {
    const id = await seedTranscription(sandbox.url, { outcome });
    return { ID: id, KEY: await ended(await client().transcripts.start({ transcriptionId: id })) };
  }

  function ofBatch({ key }: { key: string }): Values {
    return { K: key, KEY: key, N: '10', NAME: 'Olga' };
  }

  async function doneBatch(item: Partial<BatchItem> = {}): Promise<Values> {
    const key = await ended(await client().batch.start(batchOf(cutouts(sandbox.url, 1, item), 1)));
    return ofBatch({ key });
  }

  function failedBatch(): Promise<Values> {
    return doneBatch({ request: NO_PICTURE });
  }

  async function batchThatFailedTwice(): Promise<Values> {
    const values = await failedBatch();
    const { batch } = await client().batch.retry(values.K ?? '');
    await batch?.wait();
    return values;
  }

  async function openBatch(): Promise<Batch> {
    const slowly = segueClient(temporal, { ...config, ...SLOWLY });
    return slowly.batch.start(batchOf(cutouts(sandbox.url, 1), 1));
  }

  async function pausedBatch(): Promise<Values> {
    const batch = await openBatch();
    await batch.pause({ by: 'Olga' });
    return ofBatch(batch);
  }

  /** Its item continues as a held job. */
  async function heldBatch(item: Partial<BatchItem> = {}): Promise<Values> {
    const spec = batchOf(cutouts(sandbox.url, 1, item), 1);
    const lost = { operation: 'remove-background', fault: 'reset', when: 'after' } as const;
    await addFault(sandbox.url, { ...lost, match: { requestId: `${spec.key}~i1.submit.1` } });
    await client().batch.start(spec);
    await heldRow(line, `${spec.key}~i1`);
    return { K: spec.key, N: '1' };
  }

  /** An item that was held, and whose task failed. */
  async function failedItem(): Promise<Values> {
    const values = await heldBatch({ request: NO_PICTURE });
    const job = await client().media.get(`${values.K}~i1`);
    const [taskId] = await tasksOf(sandbox.url, job.key);
    await job.resolve({ action: 'adopt', taskId, by: 'Olga', reason: 'found it' });
    await job.wait();
    return values;
  }

  function ofCampaign(key: string): Values {
    return { KEY: key, NAME: 'more', TOOL: 'remove-background', FILE: requestFile() };
  }

  async function startCampaign(more: Partial<CampaignInput>): Promise<Campaign> {
    const spec = await newCampaign(sandbox.url, { scope: { organization: '1' }, ...more });
    return client().campaign.start(spec);
  }

  async function doneCampaign(): Promise<Values> {
    return ofCampaign(await ended(await startCampaign({ media: { a: cutout(sandbox.url) } })));
  }

  async function failedJobOfCampaign(): Promise<Values> {
    const media = { a: { tool: 'remove-background', request: NO_PICTURE } };
    return { KEY: await ended(await startCampaign({ media })), NAME: 'a' };
  }

  async function approvingCampaign(): Promise<Campaign> {
    const media = { a: cutout(sandbox.url), b: cutout(sandbox.url, 'shoe') };
    const campaign = await startCampaign({ media, approval: { from: 'u-1' } });
    await eventually('its question', async () => (await campaign.status()).stage === 'approving');
    return campaign;
  }

  async function pausedCampaign(): Promise<Values> {
    const campaign = await approvingCampaign();
    await campaign.pause({ by: 'Olga' });
    return ofCampaign(campaign.key);
  }

  async function doneOutlook(): Promise<Values> {
    const key = newKey();
    await client().outlooks.run({
      ...{ key, project: { resourcetype: PROJECT.TYPE, id: PROJECT.ID } },
      ...{ scope: { organization: '1' }, boards: ['launch-board'] },
    });
    return { KEY: key };
  }

  async function newSchedule(): Promise<Values> {
    const name = newKey();
    await segue(['schedule', 'create', name, '--every', '1h', 'outlook', SPECS.outlook], settings);
    return { NAME: name, TIME: '2026-01-01T00:00:00Z' };
  }

  async function pausedSchedule(): Promise<Values> {
    const schedule = await newSchedule();
    await client().schedules.pause(schedule.NAME ?? '', 'a test');
    return schedule;
  }
}
