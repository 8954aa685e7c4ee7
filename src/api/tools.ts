/** The media tools. A new one is one entry here: name, path and request; everything else follows from it. */
import { z } from 'zod';
import { text } from './operation';
import { zodProblems } from './errors';
import { bytesOf } from './json';

export interface MediaTool {
  path: string;
  about: string;
  request: z.ZodObject;
}

const imageUrl = z
  .string()
  .refine(
    (url) => /^(https?:\/\/|data:)\S+$/.test(url) && URL.canParse(url),
    'must be an http, https or data URL',
  );

/** The API states no limit. A workflow's input takes 2 MB, so this size is safe. */
const LARGEST_TOOL_REQUEST_BYTES = 1024 * 1024;

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
      output_format: z.enum(['png', 'jpeg']).optional().describe('format of the result (png when left out)'),
    }),
  },
  'image-outpainting': {
    path: '/api/v1/tools/image-outpainting',
    about: 'Extend an image beyond its borders',
    request: z.strictObject({
      image_url: imageUrl.describe('URL of the source image'),
      mask_url: imageUrl.describe('URL of the mask that marks the region to extend into'),
      prompt: text.describe('what to generate in the extended area'),
      negative_prompt: text.optional().describe('what to avoid'),
      guidance_scale: z.number().optional().describe('how closely to follow the prompt (7.5 when left out)'),
      count: z
        .int()
        .min(1, 'must be 1 or more')
        .optional()
        .describe('number of variations (4 when left out)'),
    }),
  },
};

/** The tool of this name; a name that every object has, like `constructor`, is no tool. */
export function findTool(name: string): MediaTool | undefined {
  return Object.hasOwn(mediaTools, name) ? mediaTools[name] : undefined;
}

export function validateRequest(tool: string, request: unknown): string[] {
  const known = findTool(tool);
  if (!known) return [`tool: "${tool}" is not one of ${Object.keys(mediaTools).join(', ')}`];
  const checked = known.request.safeParse(request);
  const bytes = bytesOf(request);
  const tooLarge = bytes > LARGEST_TOOL_REQUEST_BYTES;
  return [
    ...(checked.success ? [] : zodProblems(checked.error)),
    ...(tooLarge ? [`request: has ${bytes} bytes, more than ${LARGEST_TOOL_REQUEST_BYTES}`] : []),
  ];
}

export function requestJsonSchema(tool: MediaTool): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(tool.request);
}
