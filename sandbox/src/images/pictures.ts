/** The pictures that tools make: a function of the request, so that only requests need to be kept. */
import { createHash } from 'node:crypto';
import { SourceError } from './sources';
import { type SandboxTool, sandboxTools } from './tools';

export interface Job {
  tool: string;
  request: Record<string, unknown>;
}

export type Outcome = { ok: true; pictures: number } | { ok: false; errors: string[] };

export interface Picture {
  image: Buffer;
  type: string;
}

/** Clients fetch results soon after they were made, and all pictures of one job together. */
const JOBS_KEPT = 32;

export class Pictures {
  readonly #drawn = new Map<string, Promise<Buffer[]>>();
  /** How jobs ended, by request: a thousand jobs with the same request cost the work of one. */
  readonly #outcomes = new Map<string, Promise<Outcome>>();

  /** `origin` is where this sandbox is reached: its samples and results can be sources too. */
  constructor(private readonly origin: () => string) {}

  outcome(job: Job): Promise<Outcome> {
    const name = nameOf(job);
    const known = this.#outcomes.get(name);
    if (known) return known;
    const outcome = judge(this.#draw(job));
    this.#outcomes.set(name, outcome);
    // The source may exist when the next job runs.
    const forgetFailure = ({ ok }: { ok: boolean }): unknown => ok || this.#outcomes.delete(name);
    outcome.then(forgetFailure, () => this.#outcomes.delete(name));
    return outcome;
  }

  /** One picture, if it exists. */
  async picture(job: Job, index: number): Promise<Picture | undefined> {
    const pictures = await this.#draw(job).catch(nothingFrom);
    const image = pictures[index];
    return image && { image, type: toolOf(job).contentType(job.request as never) };
  }

  #draw(job: Job): Promise<Buffer[]> {
    const name = nameOf(job);
    const known = this.#drawn.get(name);
    if (known) return known;
    const pictures = toolOf(job).run(job.request as never, this.origin());
    this.#drawn.set(name, pictures);
    pictures.catch(() => this.#drawn.delete(name));
    const [oldest] = this.#drawn.keys();
    if (this.#drawn.size > JOBS_KEPT && oldest !== undefined) this.#drawn.delete(oldest);
    return pictures;
  }
}

async function judge(drawing: Promise<Buffer[]>): Promise<Outcome> {
  try {
    return { ok: true, pictures: (await drawing).length };
  } catch (error) {
    if (error instanceof SourceError) return { ok: false, errors: [error.message] };
    throw error;
  }
}

function nothingFrom(error: unknown): Buffer[] {
  if (error instanceof SourceError) return [];
  throw error;
}

function nameOf({ tool, request }: Job): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, request]))
    .digest('base64');
}

function toolOf({ tool }: Job): SandboxTool {
  const known = (sandboxTools as Record<string, SandboxTool>)[tool];
  if (!known) throw new Error(`the sandbox has no tool ${tool}`);
  return known;
}
