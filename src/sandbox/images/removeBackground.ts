import sharp from 'sharp';
import { z } from 'zod';
import { loadSource, SourceError } from './sources';

/** The request as the API's document describes it. */
export const removeBackgroundRequest = z.strictObject({
  image_url: z.url(),
  magic_crop: z.boolean().optional(),
  background_color: z
    .string()
    .regex(/^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i)
    .optional(),
  output_format: z.enum(['png', 'jpeg']).default('png'),
});

export type RemoveBackgroundRequest = z.infer<typeof removeBackgroundRequest>;

/** A colour this near to the backdrop is backdrop, one beyond the second distance is subject. */
const [BACKDROP_WITHIN, SUBJECT_BEYOND] = [24, 72];

export async function removeBackground(request: RemoveBackgroundRequest): Promise<Buffer> {
  const source = await loadSource(request.image_url);
  const { data, info } = await sharp(source)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => {
      throw new SourceError('the source is not an image that can be read');
    });
  fadeBackdrop(data, info.width, info.height);
  const size = { width: info.width, height: info.height, channels: 4 as const };
  const cutOut = await sharp(data, { raw: size }).png().toBuffer();
  const cropped = request.magic_crop ? await sharp(cutOut).trim().png().toBuffer() : cutOut;
  const picture = sharp(cropped);
  if (request.background_color) picture.flatten({ background: request.background_color });
  // JPEG has no transparency: what was removed is white.
  if (request.output_format === 'jpeg') return picture.flatten({ background: '#ffffff' }).jpeg().toBuffer();
  return picture.png().toBuffer();
}

/** Makes transparent, in place, what has the colour of the picture's corners and hangs together with its border. */
function fadeBackdrop(pixels: Buffer, width: number, height: number): void {
  const backdrop = meanOfCorners(pixels, width, height);
  const distance = (pixel: number): number =>
    Math.hypot(...backdrop.map((value, channel) => (pixels[pixel * 4 + channel] ?? 0) - value));
  const seen = new Uint8Array(width * height);
  const waiting = borderPixels(width, height);
  for (let pixel = waiting.pop(); pixel !== undefined; pixel = waiting.pop()) {
    if (seen[pixel]) continue;
    seen[pixel] = 1;
    const away = distance(pixel);
    if (away >= SUBJECT_BEYOND) continue;
    const opacity = Math.max(0, (away - BACKDROP_WITHIN) / (SUBJECT_BEYOND - BACKDROP_WITHIN));
    pixels[pixel * 4 + 3] = Math.round((pixels[pixel * 4 + 3] ?? 0) * opacity);
    const x = pixel % width;
    if (x > 0) waiting.push(pixel - 1);
    if (x < width - 1) waiting.push(pixel + 1);
    if (pixel >= width) waiting.push(pixel - width);
    if (pixel < width * (height - 1)) waiting.push(pixel + width);
  }
}

function meanOfCorners(pixels: Buffer, width: number, height: number): number[] {
  const corners = [0, width - 1, (height - 1) * width, height * width - 1];
  const mean = (channel: number): number =>
    corners.reduce((sum, corner) => sum + (pixels[corner * 4 + channel] ?? 0), 0) / corners.length;
  return [mean(0), mean(1), mean(2)];
}

function borderPixels(width: number, height: number): number[] {
  const columns = Array.from({ length: width }, (_unused, x) => [x, (height - 1) * width + x]);
  const rows = Array.from({ length: height }, (_unused, y) => [y * width, y * width + width - 1]);
  return [...columns, ...rows].flat();
}
