import sharp from 'sharp';
import { z } from 'zod';
import { boxAround } from './box';
import { loadSource, notAnImage, openPicture } from './sources';

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

export async function removeBackground(request: RemoveBackgroundRequest, ownOrigin: string): Promise<Buffer> {
  const source = await loadSource(request.image_url, ownOrigin);
  const { data, info } = await openPicture(source)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(notAnImage('source'));
  const { width, height } = info;
  fadeBackdrop(data, width, height);
  const picture = sharp(data, { raw: { width, height, channels: 4 } });
  const subject = boxAround(width, height, (pixel) => data[pixel * 4 + 3] !== 0);
  if (request.magic_crop && subject) picture.extract(subject);
  if (request.background_color) picture.flatten({ background: request.background_color });
  // JPEG has no transparency: what was removed is white.
  if (request.output_format === 'jpeg') return picture.flatten({ background: '#ffffff' }).jpeg().toBuffer();
  return picture.png().toBuffer();
}

/** Makes pixels transparent, in place, that have the colour of the corners and are connected to the border. */
function fadeBackdrop(pixels: Buffer, width: number, height: number): void {
  const [red = 0, green = 0, blue = 0] = meanOfCorners(pixels, width, height);
  const distance = (pixel: number): number => {
    const [r, g, b] = [pixels[pixel * 4] ?? 0, pixels[pixel * 4 + 1] ?? 0, pixels[pixel * 4 + 2] ?? 0];
    return Math.sqrt((r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
  };
  // Each pixel is queued at most once, so the queue is large enough for the largest picture.
  const seen = new Uint8Array(width * height);
  const waiting = new Uint32Array(width * height);
  let length = 0;
  const visit = (pixel: number): void => {
    if (seen[pixel]) return;
    seen[pixel] = 1;
    waiting[length++] = pixel;
  };
  for (const pixel of borderPixels(width, height)) visit(pixel);
  while (length > 0) {
    const pixel = waiting[--length] ?? 0;
    const away = distance(pixel);
    if (away >= SUBJECT_BEYOND) continue;
    const opacity = Math.max(0, (away - BACKDROP_WITHIN) / (SUBJECT_BEYOND - BACKDROP_WITHIN));
    pixels[pixel * 4 + 3] = Math.round((pixels[pixel * 4 + 3] ?? 0) * opacity);
    const x = pixel % width;
    if (x > 0) visit(pixel - 1);
    if (x < width - 1) visit(pixel + 1);
    if (pixel >= width) visit(pixel - width);
    if (pixel < width * (height - 1)) visit(pixel + width);
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
