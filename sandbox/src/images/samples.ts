import sharp from 'sharp';

/** Sample pictures: each has one subject before a plain backdrop. */
const SAMPLES: Record<string, string> = {
  'shoe.png': `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480" viewBox="0 0 640 480">
    <rect width="640" height="480" fill="#dfe7ec"/>
    <path d="M120 310 C120 250 130 190 165 170 C200 205 250 200 270 165 C320 235 400 262 480 275
      C525 283 540 305 540 330 L120 330 Z" fill="#d1495b"/>
    <path d="M112 330 H548 C552 352 540 366 520 366 H140 C120 366 110 352 112 330 Z" fill="#30343f"/>
    <g stroke="#ffffff" stroke-width="9" stroke-linecap="round">
      <path d="M262 205 L226 232"/><path d="M296 232 L260 260"/><path d="M334 253 L300 282"/>
    </g>
    <circle cx="170" cy="285" r="26" fill="#edae49"/>
  </svg>`,
  'mug.png': `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="480" viewBox="0 0 480 480">
    <rect width="480" height="480" fill="#f3efe6"/>
    <path d="M318 190 H352 C412 190 412 300 352 300 H318 V268 H346 C374 268 374 222 346 222 H318 Z" fill="#22577a"/>
    <path d="M130 150 H326 V330 C326 362 300 376 274 376 H182 C156 376 130 362 130 330 Z" fill="#38a3a5"/>
    <ellipse cx="228" cy="150" rx="98" ry="22" fill="#57cc99"/>
  </svg>`,
  /** A mask for outpainting: the picture stays in the dark middle, the bright rest is to be filled. */
  'mask.png': `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="640" viewBox="0 0 960 640">
    <rect width="960" height="640" fill="#ffffff"/>
    <rect x="160" y="80" width="640" height="480" fill="#000000"/>
  </svg>`,
};

export const sampleNames = Object.keys(SAMPLES);

/** Where a sandbox at this address serves them. */
export function sampleUrls(origin: string): string[] {
  return sampleNames.map((name) => `${origin}/samples/${name}`);
}

const rendered = new Map<string, Promise<Buffer>>();

export async function renderSample(name: string): Promise<Buffer | undefined> {
  const svg = Object.hasOwn(SAMPLES, name) ? SAMPLES[name] : undefined;
  if (svg === undefined) return undefined;
  const known = rendered.get(name) ?? sharp(Buffer.from(svg)).png().toBuffer();
  rendered.set(name, known);
  return known;
}
