/** The media tools of the sandbox: what each takes, and the pictures it makes. */
import { type z } from 'zod';
import { outpaint, outpaintRequest } from './outpaint';
import { removeBackground, removeBackgroundRequest } from './removeBackground';

export interface SandboxTool {
  summary: string;
  request: z.ZodType<Record<string, unknown>>;
  /** The pictures that a checked request gives; the same request gives the same ones. */
  run: (request: never, ownOrigin: string) => Promise<Buffer[]>;
  contentType: (request: never) => string;
}

export const sandboxTools = {
  'remove-background': {
    summary: 'Submit background removal',
    request: removeBackgroundRequest,
    run: async (request: z.infer<typeof removeBackgroundRequest>, ownOrigin: string) => [
      await removeBackground(request, ownOrigin),
    ],
    contentType: ({ output_format }: z.infer<typeof removeBackgroundRequest>) => `image/${output_format}`,
  },
  'image-outpainting': {
    summary: 'Submit image outpainting',
    request: outpaintRequest,
    run: outpaint,
    contentType: () => 'image/png',
  },
} satisfies Record<string, SandboxTool>;
