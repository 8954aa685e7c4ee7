/** Transcripts whose text is longer than a history, or a change of a project, may be. */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { ExternalStorage, type Payload, type StorageDriver } from '@temporalio/common';
import { SegueClient } from '../../../src/client';
import { type TranscriptResult } from '../../../src/contract';
import { transcriptWorkflowId } from '../../../src/contract/ids';
import { seedTranscription } from '../../support/service/records';
import { useSandbox } from '../../support/service/sandbox';
import { startSmallService } from '../../support/service/smallService';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { readProject, seedProject } from '../../support/builders/writing';

const MIB = 1024 * 1024;
const LINE = 'One line of a very long recording.\n';

const temporal = useTemporal();

function resultOf(key: string): Promise<TranscriptResult> {
  return temporal.client.workflow.getHandle(transcriptWorkflowId(key)).result() as Promise<TranscriptResult>;
}

/** A transcription that is done, with a file of the test's own. */
function serviceWith(transcriptionId: string, text: string) {
  const record = `GET /api/v1/transcription/${transcriptionId}`;
  return startSmallService({
    [record]: { body: { job_status: 'DONE' } },
    [`${record}/download_transcription_file`]: { text },
  });
}

test('a text over 1 MiB stays out of the history: size, digest and the command that fetches it are kept', async () => {
  const transcriptionId = randomUUID();
  const text = LINE.repeat(Math.ceil((1.5 * MIB) / LINE.length));
  const service = await serviceWith(transcriptionId, text);
  const config = testConfig();
  await withWorker(temporal, config, service.url, async () => {
    const report = await segueClient(temporal, config).transcripts.run({ transcriptionId });
    expect(report).toMatchObject({ status: 'succeeded' });
  });
  expect((await resultOf(transcriptionId)).text).toEqual({
    size: Buffer.byteLength(text),
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    fetch: `segue get subtitles ${transcriptionId} --format srt --out FILE`,
  });
  const history = await temporal.client.workflow
    .getHandle(transcriptWorkflowId(transcriptionId))
    .fetchHistory();
  expect(JSON.stringify(history).length).toBeLessThan(MIB / 4);
  await service.stop();
});

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandbox({ etags });

  test('a text that the run can keep, and a change of a project cannot, is condensed there only', async () => {
    const project = await seedProject(sandbox.url);
    const text = LINE.repeat(Math.ceil(MIB / 2 / LINE.length));
    const transcriptionId = await seedTranscription(sandbox.url, {
      pace: 'instant',
      cues: [{ start: 0, end: 1, text }],
    });
    const config = testConfig({ organization: sandbox.workspace });
    await withWorker(temporal, config, sandbox.url, async () => {
      const report = await segueClient(temporal, config).transcripts.run({
        transcriptionId,
        write: { project, at: '/subtitles' },
      });
      expect(report).toMatchObject({ status: 'succeeded', info: { written: { ok: true } } });
    });
    expect((await resultOf(transcriptionId)).text).toContain(LINE);
    expect((await readProject(sandbox.url, project)).data).toMatchObject({
      subtitles: { text: { size: expect.any(Number), digest: expect.stringMatching(/^sha256:/) } },
    });
  });
});

test("a long text goes to the SDK's external storage where the worker has one", async () => {
  const stored = new Map<string, Payload>();
  const driver: StorageDriver = {
    ...{ name: 'memory', type: 'test.memory' },
    store: (_context, payloads) =>
      Promise.resolve(
        payloads.map((payload) => {
          const claim = randomUUID();
          stored.set(claim, payload);
          return { claimData: { claim } };
        }),
      ),
    retrieve: (_context, claims) =>
      Promise.resolve(claims.map(({ claimData }) => stored.get(claimData.claim ?? '') ?? {})),
  };
  const dataConverter = { externalStorage: new ExternalStorage({ drivers: [driver] }) };
  const transcriptionId = randomUUID();
  const text = LINE.repeat(Math.ceil((3 * MIB) / LINE.length));
  const service = await serviceWith(transcriptionId, text);
  const config = testConfig();
  const client = new Client({ connection: temporal.client.connection, dataConverter });
  await withWorker(
    temporal,
    config,
    service.url,
    async () => {
      const report = await new SegueClient(client, config).transcripts.run({ transcriptionId });
      expect(report.status).toBe('succeeded');
      expect((report.info as TranscriptResult).text).toBe(text);
    },
    { dataConverter },
  );
  expect(stored.size).toBeGreaterThan(0);
  const run = temporal.client.workflow.getHandle(transcriptWorkflowId(transcriptionId));
  expect(JSON.stringify(await run.fetchHistory()).length).toBeLessThan(MIB / 4);
  await service.stop();
});
