/** Answers of tasks that are too large to keep: what is read of them, whatever their members' order. */
import { createHash } from 'node:crypto';
import { type Dispatcher } from 'undici';
import { CondensedObject } from '../../../src/api/condensed';
import { Exchange } from '../../../src/api/exchange';
import { segue } from '../../support/servers/segueCommand';
import { ASK, SECRET } from '../../support/service/api';
import { useScriptedService } from '../../support/service/scriptedService';

const service = useScriptedService();

/** Over 8 MiB, and full of what must not be taken for the answer's own members. */
const info = { '"status"': '{"status":"FAILURE"}, \\', status: 'FAILURE', text: 'ü"}'.repeat(1_800_000) };
const INFO = JSON.stringify(info);
const CONDENSED = {
  segue: 'too large to keep',
  bytes: Buffer.byteLength(INFO),
  sha256: createHash('sha256').update(INFO).digest('hex'),
};

describe('P2: of an answer over 8 MiB the status is read, and size and digest of its info', () => {
  test.each([
    ['status first', `{"status":"SUCCESS","info":${INFO}}`],
    ['info first', `{"info":${INFO},"status":"SUCCESS"}`],
    ['blanks between', ` {\n "status" : "SUCCESS" ,\r\n\t"info" : ${INFO} , "more": [{"status": 1}] } `],
  ])('%s', async (_case, body) => {
    service.reply.body = body;
    expect(await service.api().getTask({ id: 't' }, { ...ASK, timeoutMs: 30_000 })).toEqual({
      ...{ status: 'SUCCESS', info: CONDENSED },
    });
  });

  test('an info that is small is kept as it is, beside whatever makes the answer large', async () => {
    service.reply.body = `{"trace":${INFO},"info":{"url":"u"},"status":"SUCCESS"}`;
    const task = await service.api().getTask({ id: 't' }, { ...ASK, timeoutMs: 30_000 });
    expect(task).toEqual({ status: 'SUCCESS', info: { url: 'u' } });
  });

  test('wherever its bytes are parted', () => {
    const read = (size: number): string | undefined => {
      const condensed = new CondensedObject(['status', 'info']);
      const bytes = Buffer.from('{"info":{"a":"\\\\\\"}","status":[1, "ü"]}, "x": {}, "status": "ok"}');
      for (let at = 0; at < bytes.length; at += size) condensed.write(bytes.subarray(at, at + size));
      return condensed.whole();
    };
    const whole = '{"info":{"a":"\\\\\\"}","status":[1,"ü"]},"status":"ok"}';
    expect([1, 2, 3, 5, 1_000].map(read)).toEqual(Array(5).fill(whole));
  });
});

test('a person who reads the task gets all of it', async () => {
  service.reply.body = `{"status":"SUCCESS","info":${INFO}}`;
  const { code, stdout } = await segue(['get', 'task', 't', '--json'], {
    ...{ SEGUE_API_URL: service.url(), SEGUE_API_KEY: SECRET },
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ status: 'SUCCESS', info });
});

describe('an answer over 8 MiB without a status says so', () => {
  test.each([
    ['none at all', `{"info":${INFO}}`, /get task: .* another shape than expected: status: is required/],
    ['one of no text', `{"info":${INFO},"status":{}}`, /another shape than expected: status: /],
    ['a list', `[{"status":"SUCCESS","info":${INFO}}]`, /bytes came, and no whole JSON object/],
    ['half of it', `{"status":"SUCCESS","info":${INFO}`, /bytes came, and no whole JSON object/],
    ['a page', `<p>{"status":"SUCCESS"}${'x'.repeat(9 << 20)}`, /bytes came, and no whole JSON object/],
  ])('%s', async (_case, body, words) => {
    service.reply.body = body;
    const asked = service.api().getTask({ id: 't' }, { ...ASK, timeoutMs: 30_000 });
    await expect(asked).rejects.toThrow(words);
  });

  test('and an error stays one', async () => {
    Object.assign(service.reply, { status: '500 Oh', body: `{"status":"SUCCESS","info":${INFO}}` });
    const asked = service.api().getTask({ id: 't' }, { ...ASK, timeoutMs: 30_000 });
    await expect(asked).rejects.toThrow('the answer is over 8 MiB and was cut off');
  });
});

describe('an answer that does not come to its end', () => {
  const CHUNK = Buffer.alloc(9 << 20, 'x');

  /** A service that sends this and then nothing, until the time is over. */
  async function read(...chunks: Buffer[]): Promise<string> {
    const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController;
    const dispatcher = {
      dispatch(_options: unknown, handler: Dispatcher.DispatchHandler) {
        handler.onRequestStart?.(controller, {});
        handler.onResponseStart?.(controller, 200, {}, 'OK');
        for (const chunk of chunks) handler.onResponseData?.(controller, chunk);
        return true;
      },
    } as unknown as Dispatcher;
    const exchange = new Exchange({ timeoutMs: 1, members: ['status', 'info'] });
    return (await exchange.run(dispatcher, { path: '/', method: 'GET' })).body;
  }

  test('P2: tells what it said before, and that the rest is large', async () => {
    const head = Buffer.from('{"status":"SUCCESS","info":"');
    const bytes = head.length + CHUNK.length;
    expect(JSON.parse(await read(head, CHUNK))).toEqual({
      ...{ status: 'SUCCESS', info: { segue: 'too large to keep', bytes, sha256: null } },
    });
  });

  test('is an error without a status', async () => {
    const head = Buffer.from('{"info":"');
    await expect(read(head, CHUNK)).rejects.toThrow('the time was over');
    await expect(read(head, ...Array<Buffer>(30).fill(CHUNK))).rejects.toThrow(
      'the answer is over 256 MiB and was cut off',
    );
  });
});
