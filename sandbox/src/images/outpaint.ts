import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { z } from 'zod';
import { boxAround } from './box';
import { loadSource, notAnImage, openPicture, SourceError } from './sources';

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

/** A mask pixel darker than this is where the source stays; brighter ones are to be filled. */
const DARK_BELOW = 128;

const REDUCTION = 16;

/** The fastest compression level of PNG, for benchmarks. */
const QUICK = 1;

/** Extends the source over the canvas of the mask: once for each variation, each in its own tone. */
export async function outpaint(request: OutpaintRequest, ownOrigin: string): Promise<Buffer[]> {
  const [source, mask] = await Promise.all([
    loadSource(request.image_url, ownOrigin),
    loadSource(request.mask_url, ownOrigin),
  ]);
  const { data, info } = await openPicture(mask)
    .flatten({ background: '#ffffff' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(notAnImage('mask'));
  const canvas = { width: info.width, height: info.height };
  const isDark = (pixel: number): boolean => (data[pixel * info.channels] ?? DARK_BELOW) < DARK_BELOW;
  const darkBox = boxAround(canvas.width, canvas.height, isDark);
  if (!darkBox) throw new SourceError('the mask is bright all over: it leaves no room for the image');
  const original = await openPicture(source)
    .resize(darkBox.width, darkBox.height, { fit: 'fill' })
    .png()
    .toBuffer()
    .catch(notAnImage('source'));

  // Blurred and toned while the image is small: this is much faster and looks the same.
  const small = {
    width: Math.ceil(canvas.width / REDUCTION),
    height: Math.ceil(canvas.height / REDUCTION),
    channels: 3 as const,
  };
  const surroundings = await sharp(original)
    .flatten({ background: '#ffffff' })
    .resize(small.width, small.height, { fit: 'cover' })
    .blur(2)
    .removeAlpha()
    .raw()
    .toBuffer();
  return Promise.all(
    Array.from({ length: request.count }, async (_unused, variation) => {
      const toned = await sharp(surroundings, { raw: small })
        .modulate({ hue: toneOf(request, variation) })
        .raw()
        .toBuffer();
      return sharp(toned, { raw: small })
        .resize(canvas.width, canvas.height, { fit: 'fill' })
        .composite([{ input: original, left: darkBox.left, top: darkBox.top }])
        .png({ compressionLevel: QUICK })
        .toBuffer();
    }),
  );
}

/** The same request gives the same pictures; another prompt or variation gives other ones. */
function toneOf(
  { prompt, negative_prompt = '', guidance_scale }: OutpaintRequest,
  variation: number,
): number {
  const text = [prompt, negative_prompt, guidance_scale, variation].join('\n');
  return createHash('sha256').update(text).digest().readUInt16BE(0) % 360;
}
