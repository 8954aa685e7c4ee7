/** The media tools. A new one is one entry here: name, path and request; everything else follows from it. */
import { z } from 'zod';

export interface MediaTool {
  path: string;
  about: string;
  request: z.ZodObject;
}

const imageUrl = z.url({ protocol: /^(https?|data)$/, error: 'must be an http, https or data URL' });

export const mediaTools: Record<string, MediaTool> = {
  'remove-background': {
    path: '/api/v1/tools/remove-background',
    about: 'Remove the background of an image',
    request: z.strictObject({
      image_url: imageUrl.describe('URL of the source image'),
      magic_crop: z.boolean().optional().describe('crop to the subject after removal'),
      background_color: z
        .string()
        .regex(/^#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/, 'must be a hex colour, like #ffcc00')
        .optional()
        .describe('hex colour to fill the background with (transparent when left out)'),
      output_format: z
        .enum(['png', 'jpeg'])
        .optional()
        .describe('format of the result (the service takes png)'),
    }),
  },
};

/** Every problem of a request, in words; none when it may be sent. */
export function problemsOfRequest(tool: string, request: unknown): string[] {
  const known = mediaTools[tool];
  if (!known) return [`tool: "${tool}" is none of ${Object.keys(mediaTools).join(', ')}`];
  const checked = known.request.safeParse(request);
  if (checked.success) return [];
  return checked.error.issues.map((issue) => `${issue.path.join('.') || 'request'}: ${issue.message}`);
}
