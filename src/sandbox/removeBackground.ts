import sharp from 'sharp';
import { z } from 'zod';
import { loadSource, SourceError } from './sources';

/** The request as the API's document describes it. */
export const removeBackgroundRequest = z.object({
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

/** Makes transparent what has the colour of the picture's corners, in place. */
function fadeBackdrop(pixels: Buffer, width: number, height: number): void {
  const corners = [0, width - 1, (height - 1) * width, height * width - 1].map((index) => index * 4);
  const mean = (channel: number): number =>
    corners.reduce((sum, corner) => sum + (pixels[corner + channel] ?? 0), 0) / corners.length;
  const backdrop = [mean(0), mean(1), mean(2)] as const;
  for (let at = 0; at < pixels.length; at += 4) {
    const distance = Math.hypot(
      (pixels[at] ?? 0) - backdrop[0],
      (pixels[at + 1] ?? 0) - backdrop[1],
      (pixels[at + 2] ?? 0) - backdrop[2],
    );
    const opacity = Math.min(
      1,
      Math.max(0, (distance - BACKDROP_WITHIN) / (SUBJECT_BEYOND - BACKDROP_WITHIN)),
    );
    pixels[at + 3] = Math.round((pixels[at + 3] ?? 0) * opacity);
  }
}
