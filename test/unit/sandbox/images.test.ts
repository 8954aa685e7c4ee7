import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import sharp from 'sharp';
import { type Sandbox, startSandbox } from '../../../sandbox/src/server';
import { ask } from '../../support/service/sandbox';

let sandbox: Sandbox | undefined;

afterEach(async () => {
  await sandbox?.stop();
  sandbox = undefined;
});

async function submit(
  url: string,
  request: Record<string, unknown>,
  tool = 'remove-background',
): Promise<string> {
  const { status, json } = await ask(url, `POST /tools/${tool}`, { body: request });
  expect(status).toBe(202);
  return String(json.task_id);
}

async function poll(
  url: string,
  id: string,
): Promise<{ status: string; info: { images?: { url: string }[]; errors?: string[]; samples?: string[] } }> {
  const { status, json } = await ask(url, `GET /tasks/${id}`);
  expect(status).toBe(200);
  return json as never;
}

async function resultImage(url: string, request: Record<string, unknown>) {
  const { info } = await poll(url, await submit(url, request));
  const response = await fetch(info.images?.[0]?.url ?? '');
  return sharp(Buffer.from(await response.arrayBuffer()));
}

describe('the media tools of the sandbox', () => {
  test('takes a job, goes through states that are not the end, and serves a picture without background', async () => {
    sandbox = await startSandbox({ pace: { kind: 'polls', polls: 3 } });
    const id = await submit(sandbox.url, { image_url: `${sandbox.url}/samples/shoe.png` });
    expect(await poll(sandbox.url, id)).toEqual({ status: 'PENDING', info: null });
    expect(await poll(sandbox.url, id)).toEqual({ status: 'STARTED', info: null });
    const { status, info } = await poll(sandbox.url, id);
    expect(status).toBe('SUCCESS');
    const response = await fetch(info.images?.[0]?.url ?? '');
    expect(response.headers.get('content-type')).toBe('image/png');
    const image = sharp(Buffer.from(await response.arrayBuffer()));
    const { data } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const opaque = data.filter((_byte, index) => index % 4 === 3 && data[index] === 255).length;
    expect(data[3]).toBe(0);
    expect(opaque).toBeGreaterThan(10_000);
  });

  test('crops to the subject, fills the background, and makes JPEG', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const image_url = `${sandbox.url}/samples/mug.png`;
    const cropped = await (await resultImage(sandbox.url, { image_url, magic_crop: true })).metadata();
    expect([cropped.width, cropped.height].every((side) => side < 480)).toBe(true);
    const filled = await resultImage(sandbox.url, { image_url, background_color: '#ff0000' });
    expect([...(await filled.raw().toBuffer()).subarray(0, 3)]).toEqual([255, 0, 0]);
    const jpeg = await (await resultImage(sandbox.url, { image_url, output_format: 'jpeg' })).metadata();
    expect(jpeg.format).toBe('jpeg');
  });

  test('extends an image over the canvas of a mask, in as many variations as asked for', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const { url } = sandbox;
    const request = {
      image_url: `${url}/samples/shoe.png`,
      mask_url: `${url}/samples/mask.png`,
      prompt: 'a beach',
    };
    const draw = async (more: Record<string, unknown>): Promise<Buffer[]> => {
      const { info } = await poll(url, await submit(url, { ...request, ...more }, 'image-outpainting'));
      return Promise.all(
        (info.images ?? []).map(async (image) => Buffer.from(await (await fetch(image.url)).arrayBuffer())),
      );
    };
    const four = await draw({});
    expect(four).toHaveLength(4);
    expect(new Set(four.map((image) => image.toString('base64'))).size).toBe(4);
    const { width, height } = await sharp(four[0]).metadata();
    expect([width, height]).toEqual([960, 640]);
    // The source stands where the mask is dark.
    const inside = await sharp(four[0])
      .extract({ left: 160, top: 80, width: 640, height: 480 })
      .removeAlpha()
      .raw()
      .toBuffer();
    const source = Buffer.from(await (await fetch(request.image_url)).arrayBuffer());
    expect(inside.equals(await sharp(source).removeAlpha().raw().toBuffer())).toBe(true);
    expect((await draw({ count: 1 }))[0]?.equals(four[0] ?? Buffer.alloc(0))).toBe(true);
    expect((await draw({ count: 1, prompt: 'a forest' }))[0]?.equals(four[0] ?? Buffer.alloc(0))).toBe(false);
  });

  const dataUrl = (image: Buffer): string => `data:image/png;base64,${image.toString('base64')}`;
  const plain = (width: number, height: number): Promise<Buffer> =>
    sharp({ create: { width, height, channels: 3, background: '#33aa55' } })
      .png()
      .toBuffer();

  test('crops to the subject alone, also where it reaches the border or nothing is left of it', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const subject = await plain(6, 5);
    const onWhite = sharp({ create: { width: 40, height: 30, channels: 3, background: '#ffffff' } });
    const atBorder = await onWhite
      .composite([{ input: subject, left: 34, top: 9 }])
      .png()
      .toBuffer();
    const sizeOf = async (source: Buffer): Promise<number[]> => {
      const request = { image_url: dataUrl(source), magic_crop: true };
      const { width, height } = await (await resultImage(sandbox?.url ?? '', request)).metadata();
      return [width, height];
    };
    expect(await sizeOf(atBorder)).toEqual([6, 5]);
    expect(await sizeOf(await plain(1, 1))).toEqual([1, 1]);
    expect(await sizeOf(await plain(2, 500))).toEqual([2, 500]);
  });

  test('there is no result before the task is told to be over', async () => {
    sandbox = await startSandbox({ pace: { kind: 'polls', polls: 1 } });
    const id = await submit(sandbox.url, { image_url: `${sandbox.url}/samples/shoe.png` });
    const result = `${sandbox.url}/results/${id}/0`;
    expect((await fetch(result)).status).toBe(404);
    await poll(sandbox.url, id);
    expect((await fetch(result)).status).toBe(200);
  });

  test('a picture of more pixels than memory should hold ends the task as FAILURE', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const image_url = dataUrl(await plain(26_000, 1_000));
    const { status, info } = await poll(sandbox.url, await submit(sandbox.url, { image_url }));
    expect([status, info.errors]).toEqual(['FAILURE', ['the source has more than 25 million pixels']]);
  });

  test('a source without end is not read to it', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    let sent = 0;
    const endless = createServer((_request, response) => {
      const piece = Buffer.alloc(1024 * 1024);
      const more = (): unknown => response.write(piece, (error) => error ?? ((sent += 1), more()));
      more();
    }).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const image_url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/`;
    const { status, info } = await poll(sandbox.url, await submit(sandbox.url, { image_url }));
    expect([status, info.errors]).toEqual(['FAILURE', ['the source image is over 20 MiB']]);
    expect(sent).toBeLessThan(60);
    endless.close();
  });

  test('a job finds the source that an earlier one missed', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const { url } = sandbox;
    const image = await plain(4, 4);
    let isThere = false;
    const late = createServer((_request, response) => {
      response.writeHead(isThere ? 200 : 404).end(isThere ? image : '');
    }).listen(0, '127.0.0.1');
    await once(late, 'listening');
    const request = { image_url: `http://127.0.0.1:${(late.address() as AddressInfo).port}/` };
    const first = await submit(url, request);
    expect((await poll(url, first)).status).toBe('FAILURE');
    isThere = true;
    expect((await poll(url, await submit(url, request))).status).toBe('SUCCESS');
    expect((await poll(url, first)).status).toBe('FAILURE');
    expect((await fetch(`${url}/results/${first}/0`)).status).toBe(404);
    late.close();
  });

  test('a redirect is not followed, wherever it leads', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const { url } = sandbox;
    const elsewhere = createServer((_request, response) => {
      response.writeHead(302, { location: `${url}/samples/shoe.png` }).end();
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const image_url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    expect((await poll(url, await submit(url, { image_url }))).status).toBe('FAILURE');
    elsewhere.close();
  });

  const [outward] = Object.values(networkInterfaces())
    .flat()
    .filter((found) => found && !found.internal && found.family === 'IPv4');
  // The reason is one that a whole run accepts (test/support/jest/plainSummary.js).
  const [testHere, reason] = outward
    ? [test, '']
    : [test.skip, ' (skipped: the machine has no other address)'];
  testHere(`its own samples are sources on any address that it listens on${reason}`, async () => {
    sandbox = await startSandbox({ host: outward?.address, pace: { kind: 'instant' } });
    const id = await submit(sandbox.url, { image_url: `${sandbox.url}/samples/mug.png` });
    expect((await poll(sandbox.url, id)).status).toBe('SUCCESS');
    const elsewhere = sandbox.url.replace(/\d+$/, '1');
    const other = await submit(sandbox.url, { image_url: `${elsewhere}/samples/mug.png` });
    expect((await poll(sandbox.url, other)).info.errors?.join()).toContain('reads no images from');
  });

  test('a mask that leaves no room ends the task as FAILURE', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const white = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#ffffff' } })
      .png()
      .toBuffer();
    const mask_url = dataUrl(white);
    const request = { image_url: `${sandbox.url}/samples/shoe.png`, mask_url, prompt: 'a beach' };
    const { status, info } = await poll(sandbox.url, await submit(sandbox.url, request, 'image-outpainting'));
    expect({ status, errors: info.errors }).toEqual({
      status: 'FAILURE',
      errors: [expect.stringContaining('no room')],
    });
  });

  test.each([
    ['another host', 'https://example.com/a.png', 'reads no images from example.com'],
    ['every address at once', 'http://0.0.0.0/a.png', 'reads no images from 0.0.0.0'],
    [
      'a name that begins like loopback',
      'http://127.0.0.1.example.com/',
      'reads no images from 127.0.0.1.example',
    ],
    ['a file', 'file:///etc/hostname', 'reads no images from file:'],
    ['no picture', 'data:text/plain,hello', 'not an image'],
    ['nothing there', '/samples/none.png', 'answers 404'],
  ])('a source that is %s ends the task as FAILURE with the reason', async (_case, address, reason) => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const image_url = address.startsWith('/') ? sandbox.url + address : address;
    const id = await submit(sandbox.url, { image_url });
    const { status, info } = await poll(sandbox.url, id);
    expect(status).toBe('FAILURE');
    expect(info.errors?.join()).toContain(reason);
    expect(info.samples).toContain(`${sandbox.url}/samples/shoe.png`);
    // It stays its end, whatever the source does later.
    expect(await poll(sandbox.url, id)).toEqual({ status, info });
  });
});
