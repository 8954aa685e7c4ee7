/** A manifest as bytes: from a file or an address, in pieces of any size. */
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { freePort } from '@segue/devserver';
import { linesOf, type ManifestLine } from '../../../src/runs/manifest/lines';
import { manifestLines, manifestName } from '../../../src/runs/manifest/source';
import { LARGEST_LINE_BYTES } from '../../../src/contract';
import { InvalidInput, UnreachableAddress, UnusableFile } from '../../../src/errors';
import { all } from '../../support/all';
import { eventually } from '../../support/eventually';
import { collectGarbage } from '../../support/garbage';
import { shared } from '../../support/jest/shared';

/** Root may read every file: whoever is root is another user for as long as `work` takes. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  return work().finally(() => process.seteuid?.(0));
}

/** In pieces of so many bytes, as a network may give them. */
function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const TOO_LONG = `has ${LARGEST_LINE_BYTES + 1} bytes, more than ${LARGEST_LINE_BYTES}`;

describe('lines', () => {
  test.each<[string, string | Buffer, ManifestLine[]]>([
    [
      'the last one needs no end',
      'a\nb',
      [
        { line: 1, text: 'a' },
        { line: 2, text: 'b' },
      ],
    ],
    [
      'may end as on Windows',
      'a\r\nb\r\n',
      [
        { line: 1, text: 'a' },
        { line: 2, text: 'b' },
      ],
    ],
    [
      'that are blank say nothing, and are counted',
      '\n \t\r\n\na\n\n\nb\n\n',
      [
        { line: 4, text: 'a' },
        { line: 7, text: 'b' },
      ],
    ],
    ['may begin with a byte order mark', '\ufeffa\r\n', [{ line: 1, text: 'a' }]],
    ['are UTF-8, wherever a piece ends', 'é€😀\n', [{ line: 1, text: 'é€😀' }]],
    [
      'that are not UTF-8 are told',
      Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a, 0x62]),
      [
        { line: 1, text: 'a' },
        { line: 2, problem: 'is not UTF-8' },
        { line: 3, text: 'b' },
      ],
    ],
    ['there are none', '', []],
    ['all are blank', '\n\n  ', []],
  ])('%s', async (_name, content, lines) => {
    const bytes = typeof content === 'string' ? bytesOf(content) : content;
    for (const size of [1, 2, 3, 1024]) expect(await all(linesOf(pieces(bytes, size)))).toEqual(lines);
  });

  test('one that is as long as allowed is taken, its ends not counted; a longer one is told with its length', async () => {
    const longest = 'x'.repeat(LARGEST_LINE_BYTES);
    const bytes = bytesOf(`\ufeff${longest}\r\n${longest}y\nz\n${longest}y`);
    for (const size of [1000, LARGEST_LINE_BYTES, bytes.length]) {
      expect(await all(linesOf(pieces(bytes, size)))).toEqual([
        { line: 1, text: longest },
        { line: 2, problem: TOO_LONG },
        { line: 3, text: 'z' },
        { line: 4, problem: TOO_LONG },
      ]);
    }
  });

  test('one of 256 MiB is skipped without being kept', async () => {
    const MIB = 1024 * 1024;
    const used = (): number => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = used();
    async function* endless(): AsyncGenerator<Buffer> {
      for (let n = 0; n < 256; n++) yield Buffer.alloc(MIB, 'x');
      // Freed memory is counted as free a moment later.
      await eventually('that nothing of it is kept', () => used() - before < 64 * MIB, 10_000);
      yield bytesOf('\na');
    }
    expect(await all(linesOf(endless()))).toEqual([
      { line: 1, problem: `has ${256 * MIB} bytes, more than ${LARGEST_LINE_BYTES}` },
      { line: 2, text: 'a' },
    ]);
  });
});

describe('a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(shared().scratch, 'manifest-'));
  });

  test('is read as it is', async () => {
    const file = path.join(folder, 'two.ndjson');
    await writeFile(file, '{"a":1}\n\n{"b":2}\n');
    expect(await all(manifestLines(file))).toEqual([
      { line: 1, text: '{"a":1}' },
      { line: 3, text: '{"b":2}' },
    ]);
    expect(manifestName(file)).toBe(file);
  });

  test('that is not there, or a folder, is told with its name', async () => {
    const missing = path.join(folder, 'missing.ndjson');
    const wanted = new UnusableFile(missing, ['there is no such file']);
    await expect(all(manifestLines(missing))).rejects.toEqual(wanted);
    await expect(all(manifestLines(folder))).rejects.toThrow(`${folder} cannot be used:\n  it is a folder`);
  });

  test('that nobody may read is told with its name', async () => {
    const file = path.join(folder, 'secret.ndjson');
    await writeFile(file, '{}');
    await chmod(file, 0);
    await asNobody(() => expect(all(manifestLines(file))).rejects.toThrow('you may not read it'));
  });
});

describe('an address', () => {
  let server: Server;
  let url: string;
  const headers: Record<string, unknown>[] = [];
  const moved = (response: ServerResponse, location: string): void => {
    response.writeHead(302, { location }).end('elsewhere');
  };
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/manifest': (response) => response.end('{"a":1}\n{"b":2}'),
    '/moved': (response) => {
      moved(response, '/manifest?sig=1');
    },
    '/round': (response) => {
      moved(response, '/round');
    },
    '/away': (response) => {
      moved(response, 'http://example.com/manifest');
    },
    '/nowhere': (response) => {
      moved(response, 'http://');
    },
    '/empty': (response) => response.writeHead(204).end(),
    '/broken': (response) => response.writeHead(500).end('{"a":1}'),
    '/cut': (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"a":1}\n{"b"');
      setTimeout(() => response.destroy(), 50);
    },
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      headers.push({ ...request.headers });
      const answer = answers[request.url?.split('?')[0] ?? ''];
      if (answer) answer(response);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each(['/manifest', '/moved'])('P7: %s is read, and no credential is sent', async (place) => {
    headers.length = 0;
    expect(await all(manifestLines(url + place))).toEqual([
      { line: 1, text: '{"a":1}' },
      { line: 2, text: '{"b":2}' },
    ]);
    expect(headers.length).toBeGreaterThan(0);
    for (const sent of headers) expect(sent).not.toHaveProperty('authorization');
  });

  test.each([
    ['/none', 'the answer is status 404'],
    ['/empty', 'the answer is status 204'],
    ['/broken', 'the answer is status 500'],
    ['/round', 'it redirects more than 5 times'],
    ['/away', 'it redirects to http://example.com, which is not followed'],
    ['/nowhere', 'it redirects to what is no address'],
    ['/cut', 'cannot be read: '],
  ])('%s is not taken for a manifest, nor for a part of one', async (place, words) => {
    const reading = all(manifestLines(`${url}${place}?sig=secret`));
    await expect(reading).rejects.toThrow(words);
    await expect(reading).rejects.toThrow(UnreachableAddress);
    await expect(reading).rejects.not.toThrow(/secret/);
  });

  test('that nobody listens at is told', async () => {
    const reading = all(manifestLines(`http://localhost:${await freePort()}/m`));
    await expect(reading).rejects.toThrow(UnreachableAddress);
    await expect(reading).rejects.toThrow(/ECONNREFUSED/);
  });

  test.each([
    ['http://example.com/m.ndjson', 'http://example.com/m.ndjson: must be an https address'],
    ['ftp://example.com/m.ndjson', 'must be an https address'],
    ['file:///etc/passwd', 'file:///etc/passwd: must be an https address'],
    ['https://user:secret@example.com/m', 'https://example.com/m: holds a user name or password'],
    ['https://', 'the address: is not an address'],
  ])('%s is not asked for', async (address, words) => {
    const reading = all(manifestLines(address));
    await expect(reading).rejects.toThrow(words);
    await expect(reading).rejects.toThrow(InvalidInput);
    await expect(reading).rejects.not.toThrow(/secret/);
  });

  test('P7: is named without what is signed in it', () => {
    expect(manifestName('https://example.com/m.ndjson?X-Amz-Signature=secret#x')).toBe(
      'https://example.com/m.ndjson',
    );
    expect(manifestName('-')).toBe('stdin');
  });

  test('that is left before its end is let go', async () => {
    for await (const { line } of manifestLines(`${url}/manifest`)) {
      expect(line).toBe(1);
      break;
    }
    await eventually('the end of the connection', async () => {
      const open = await new Promise<number>((resolve) => {
        server.getConnections((_error, count) => {
          resolve(count);
        });
      });
      return open === 0 ? true : undefined;
    });
  });
});
