import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { z } from 'zod';
import { loadSource, SourceError } from './sources';

/** The request as the API's document describes it. */
export const outpaintRequest = z.strictObject({
  image_url: z.url(),
  mask_url: z.url(),
  prompt: z.string().min(1),
  negative_prompt: z.string().optional(),
  guidance_scale: z.number().default(7.5),
  count: z.int().min(1).max(16).default(4),
});

export type OutpaintRequest = z.infer<typeof outpaintRequest>;

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A mask pixel darker than this is where the source stays; brighter ones are to be filled. */
const DARK_BELOW = 128;

/** Extends the source over the canvas of the mask: once for each variation, each in a tone of its own. */
export async function outpaint(request: OutpaintRequest): Promise<Buffer[]> {
  const [source, mask] = await Promise.all([loadSource(request.image_url), loadSource(request.mask_url)]);
  const { data, info } = await sharp(mask)
    .flatten({ background: '#ffffff' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(notAnImage('mask'));
  const canvas = { width: info.width, height: info.height };
  const place = darkBox(data, canvas.width, canvas.height, info.channels);
  if (!place) throw new SourceError('the mask is bright all over: it leaves no room for the image');
  const original = await sharp(source)
    .resize(place.width, place.height, { fit: 'fill' })
    .png()
    .toBuffer()
    .catch(notAnImage('source'));

  return Promise.all(
    Array.from({ length: request.count }, async (_unused, variation) => {
      const surroundings = await sharp(original)
        .flatten({ background: '#ffffff' })
        .resize(canvas.width, canvas.height, { fit: 'cover' })
        .blur(Math.max(4, canvas.width / 32))
        .modulate({ hue: toneOf(request, variation) })
        .png()
        .toBuffer();
      return sharp(surroundings)
        .composite([{ input: original, left: place.left, top: place.top }])
        .png()
        .toBuffer();
    }),
  );
}

/** The smallest box around all dark pixels. */
function darkBox(pixels: Buffer, width: number, height: number, channels: number): Box | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((pixels[(y * width + x) * channels] ?? 255) >= DARK_BELOW) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
  }
  return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** The same request gives the same pictures; another prompt or variation gives other ones. */
function toneOf(
  { prompt, negative_prompt = '', guidance_scale }: OutpaintRequest,
  variation: number,
): number {
  const words = [prompt, negative_prompt, guidance_scale, variation].join('\n');
  return createHash('sha256').update(words).digest().readUInt16BE(0) % 360;
}

function notAnImage(what: string) {
  return (): never => {
    throw new SourceError(`the ${what} is not an image that can be read`);
  };
}
