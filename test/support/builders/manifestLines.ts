/** Lines of manifests, and manifests of such lines. */
import { linesOf, type ManifestLine } from '../../../src/runs/manifest/lines';

export const TOOL = 'remove-background';
export const IMAGE = 'https://example.com/a.png';

export type Members = Record<string, unknown>;

/** A valid line; another `image` makes another job. */
export const line = (members: Members = {}, image = IMAGE): string =>
  JSON.stringify({ tool: TOOL, request: { image_url: image }, ...members });

export const linesIn = (...texts: string[]): AsyncIterable<ManifestLine> =>
  linesOf([Buffer.from(texts.join('\n'))]);
