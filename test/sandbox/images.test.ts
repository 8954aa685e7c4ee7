import sharp from 'sharp';
import { type Sandbox, startSandbox } from '../../src/sandbox/server';
import { ask } from '../support/sandbox';

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

  test('a mask that leaves no room ends the task as FAILURE', async () => {
    sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const white = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#ffffff' } })
      .png()
      .toBuffer();
    const mask_url = `data:image/png;base64,${white.toString('base64')}`;
    const request = { image_url: `${sandbox.url}/samples/shoe.png`, mask_url, prompt: 'a beach' };
    const { status, info } = await poll(sandbox.url, await submit(sandbox.url, request, 'image-outpainting'));
    expect({ status, errors: info.errors }).toEqual({
      status: 'FAILURE',
      errors: [expect.stringContaining('no room')],
    });
  });

  test.each([
    ['another host', 'https://example.com/a.png', 'reads no images from example.com'],
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
