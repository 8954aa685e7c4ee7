/** Transcripts and waits where hours pass in seconds: real 15 to 20 s timers on the time-skipping server. */
import { randomUUID } from 'node:crypto';
import { type Socket } from 'node:net';
import { recordKey, recordWorkflowId, transcriptWorkflowId } from '../../../src/contract/ids';
import { OWN_START } from '../../support/builders/jobs';
import { SRT } from '../../support/service/records';
import { answer, startRawServer } from '../../support/service/rawServer';
import { testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';

const HOUR_MS = 3_600_000;

const temporal = useTimeSkipping();

type Answering = (socket: Socket, count: number) => void;

interface Times {
  startedAt: number;
  endedAt: number;
}

/** Runs a workflow to its end against a service that answers status reads and downloads as the test says. */
async function run(
  workflow: 'transcript' | 'record',
  input: Record<string, unknown>,
  {
    onRead,
    onDownload = (socket) => socket.end(answer('200 OK', SRT)),
  }: { onRead: Answering; onDownload?: Answering },
) {
  const counts = { reads: 0, downloads: 0 };
  const server = await startRawServer((socket, request) => {
    if (request.includes('/download_transcription_file')) onDownload(socket, ++counts.downloads);
    else if (request.startsWith('GET')) onRead(socket, ++counts.reads);
    else socket.end(answer('200 OK', '{}'));
  });
  const config = testConfig();
  const { key, workflowId } = identityOf(workflow, input);
  try {
    return await withWorker(
      temporal,
      config,
      server.url,
      async () => {
        const handle = await temporal.client.workflow.start(workflow, {
          ...{ memo: OWN_START, workflowId, taskQueue: config.taskQueue },
          args: [workflow === 'transcript' ? { key, ...input } : input],
        });
        const result: unknown = await handle.result().catch((error: unknown) => error);
        const { startTime, closeTime } = await handle.describe();
        const times: Times = { startedAt: startTime.getTime(), endedAt: closeTime?.getTime() ?? 0 };
        return { result, counts, hours: (times.endedAt - times.startedAt) / HOUR_MS };
      },
      { checkScheduledTime: false, layout: { assetPath: '/assets/{id}' } },
    );
  } finally {
    await server.stop();
  }
}

function identityOf(workflow: 'transcript' | 'record', input: Record<string, unknown>) {
  const key = workflow === 'transcript' ? randomUUID() : recordKey(String(input.kind), String(input.id));
  return { key, workflowId: workflow === 'transcript' ? transcriptWorkflowId(key) : recordWorkflowId(key) };
}

const status = (told: string): string => answer('200 OK', JSON.stringify({ job_status: told }));

const transcription = (): Record<string, unknown> => ({ transcriptionId: randomUUID() });
const asset = (): Record<string, unknown> => ({ kind: 'asset', id: randomUUID() });

/** Each poll takes real time; hours have fewer of them at this pace. */
const EVERY_TWO_MINUTES = { min: '2m', max: '2m', deadline: '4h' };

describe('a record over hours', () => {
  test('P2 P5: three hours of errors of every kind end nothing, and then it is done', async () => {
    const troubles = [
      (socket: Socket) => socket.end(answer('500 Internal Server Error', 'oops')),
      (socket: Socket) => socket.end(answer('401 Unauthorized', '{"detail":"no key"}')),
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.end(answer('200 OK', 'no json')),
      (socket: Socket) => socket.end(answer('200 OK', '{"job_status":7}')),
      (socket: Socket) => socket.end(answer('404 Not Found', '{}')),
    ];
    const { result, counts, hours } = await run(
      'transcript',
      { ...transcription(), poll: EVERY_TWO_MINUTES },
      {
        onRead(socket, count) {
          if (count === 1) socket.end(status('PROCESSING'));
          else if (count > 90) socket.end(status('DONE'));
          // The tenth is never answered.
          else if (count !== 10) troubles[count % troubles.length]?.(socket);
        },
      },
    );
    expect(result).toMatchObject({ status: 'succeeded', text: SRT, polls: 92 });
    expect(counts).toEqual({ reads: 91, downloads: 1 });
    expect(hours).toBeGreaterThan(2.5);
  });

  test('P5: an empty file after DONE is asked for again, and its text taken when it comes', async () => {
    const { result, counts } = await run('transcript', transcription(), {
      onRead: (socket) => socket.end(status('DONE')),
      onDownload: (socket, count) => socket.end(answer('200 OK', count < 10 ? '' : SRT)),
    });
    expect(result).toMatchObject({ status: 'succeeded', text: SRT });
    expect(result).not.toHaveProperty('empty');
    expect(counts.downloads).toBe(10);
  });

  test('P5: a file that stays empty for five minutes is recorded as empty', async () => {
    const { result, counts, hours } = await run('transcript', transcription(), {
      onRead: (socket) => socket.end(status('DONE')),
      onDownload: (socket) => socket.end(answer('200 OK', '')),
    });
    expect(result).toMatchObject({ status: 'succeeded', text: '', empty: true });
    // 15 to 20 s apart.
    expect([counts.downloads >= 15, counts.downloads <= 22]).toEqual([true, true]);
    expect(hours * 60).toBeGreaterThanOrEqual(5);
  });

  test('P2: a download that fails for hours is waited out', async () => {
    const { result, counts } = await run(
      'transcript',
      { ...transcription(), poll: EVERY_TWO_MINUTES },
      {
        onRead: (socket) => socket.end(status('DONE')),
        onDownload: (socket, count) =>
          socket.end(
            count < 60 ? answer(count % 2 ? '503 Unavailable' : '404 Not Found', '') : answer('200 OK', SRT),
          ),
      },
    );
    expect(result).toMatchObject({ status: 'succeeded', text: SRT });
    expect(counts).toEqual({ reads: 1, downloads: 60 });
  });

  test.each([
    ['transcript', transcription(), 'its last status was PROCESSING'],
    ['record', asset(), 'its last status was 2'],
  ] as const)(
    'P2: a %s gives up after the give-up time, with the last words',
    async (workflow, input, words) => {
      const poll = { deadline: '1m', giveUp: '1h' };
      const { result, hours } = await run(
        workflow,
        { ...input, poll },
        {
          onRead: (socket, count) =>
            socket.end(
              count < 5
                ? answer('200 OK', '{"job_status":"PROCESSING","status":2}')
                : answer('502 Bad Gateway', 'gone fishing'),
            ),
        },
      );
      expect(result).toMatchObject({ cause: { type: 'GivenUp', message: expect.stringContaining(words) } });
      expect(result).toMatchObject({ cause: { message: expect.stringContaining('gone fishing') } });
      expect(hours).toBeGreaterThanOrEqual(1);
      expect(hours).toBeLessThan(1.2);
    },
  );

  test.each([
    ['transcript', transcription(), 'transcription'],
    ['record', asset(), 'asset'],
  ] as const)(
    'P2: a %s of something that the service never knew fails after five minutes, in words',
    async (workflow, input, kind) => {
      const { result, hours } = await run(workflow, input, {
        onRead: (socket) => socket.end(answer('404 Not Found', '{"detail":"no such thing"}')),
      });
      expect(result).toMatchObject({
        cause: {
          type: 'Missing',
          message: expect.stringMatching(
            new RegExp(
              `^The service does not know ${kind} .* nothing but 404 for 5m.*Check the id.*no such thing`,
            ),
          ),
        },
      });
      expect(hours * 60).toBeGreaterThanOrEqual(5);
      expect(hours * 60).toBeLessThan(7);
    },
  );

  test('P2: a record that the service knew, and forgets for half an hour, is waited out', async () => {
    const { result } = await run('record', asset(), {
      onRead: (socket, count) =>
        socket.end(
          count === 1 || count > 100
            ? answer('200 OK', JSON.stringify({ status: count === 1 ? 1 : 4 }))
            : answer('404 Not Found', '{}'),
        ),
    });
    expect(result).toMatchObject({ status: 'succeeded', recordStatus: 4, polls: 101 });
  });
});
