/** Files of results, from servers that are not always kind. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { download, DOWNLOAD_LIMITS, readContent } from '../../src/platform/download';
import { shared } from '../support/jest/shared';

let server: Server;
let url: string;
let folder: string;
const asked: IncomingMessage[] = [];

const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  '/picture': (response) => response.setHeader('content-type', 'image/jpeg; charset=x').end('jpeg'),
  '/moved': (response) => response.writeHead(302, { location: '/picture' }).end(),
  '/round': (response) => response.writeHead(302, { location: '/round' }).end(),
  '/odd': (response) => response.setHeader('content-type', 'application/x-../../evil').end('odd'),
  '/cut': (response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '100' }).write('part');
    setImmediate(() => response.destroy());
  },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    const answer = ANSWERS[request.url ?? ''];
    if (answer) answer(response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(shared().scratch, 'download-'));
  asked.length = 0;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('P7: a file is saved with the extension of its type, over a redirect too, and no credential is sent', async () => {
  const saved = await download(`${url}/moved`, folder, 'k-1', {});
  expect(saved).toEqual({ path: path.join(folder, 'k-1.jpg'), existed: false });
  expect(await readFile(saved.path, 'utf8')).toBe('jpeg');
  expect(asked.map(({ url: place }) => place)).toEqual(['/moved', '/picture']);
  for (const { headers } of asked) expect(headers).not.toHaveProperty('authorization');
  expect(await download(`${url}/picture`, folder, 'k-1', {})).toMatchObject({ existed: true });
  // What is there is not asked for: its address may be gone.
  expect(asked).toHaveLength(2);
});

test('a type that nobody knows has no say in the name', async () => {
  const { path: file } = await download(`${url}/odd`, folder, 'k-1', {});
  expect(file).toBe(path.join(folder, 'k-1.bin'));
});

test.each([
  ['/none', /status 404/],
  ['/round', /redirect/i],
  ['/cut', /./],
])('%s is not saved, not even a part of it', async (place, message) => {
  await expect(download(url + place, folder, 'k-1', {})).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual([]);
});

test('what is larger than allowed is not saved; what is no address is not asked for', async () => {
  const limits = { ...DOWNLOAD_LIMITS, bytes: 3 };
  await expect(download(`${url}/picture`, folder, 'k-1', {}, limits)).rejects.toThrow('more than 3 bytes');
  await expect(download('file:///etc/passwd', folder, 'k-1', {})).rejects.toThrow('not an http');
  expect(await readdir(folder)).toEqual([]);
});

test('content is read into memory: only of a wanted type, complete, and no larger than it may be', async () => {
  const limits = { bytes: 4, ms: 10_000 };
  const read = (place: string, types: string[], most = limits) =>
    readContent(`${url}${place}`, types, {}, most);
  expect(await read('/moved', ['image/jpeg'])).toEqual({ type: 'image/jpeg', content: Buffer.from('jpeg') });
  await expect(read('/picture', ['image/png'])).rejects.toThrow('its type is image/jpeg');
  await expect(read('/picture', ['image/jpeg'], { ...limits, bytes: 3 })).rejects.toThrow(
    'more than 3 bytes',
  );
  await expect(read('/nowhere', ['image/jpeg'])).rejects.toThrow('status 404');
  await expect(read('/cut', ['image/png'], DOWNLOAD_LIMITS)).rejects.toThrow();
  await expect(readContent('file:///etc/passwd', ['image/png'], {}, limits)).rejects.toThrow('not an http');
});
