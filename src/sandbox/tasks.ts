import { randomUUID } from 'node:crypto';
import { isOver, type Pace } from './pace';
import { SourceError } from './sources';
import { type SandboxTool, sandboxTools, type ToolName } from './tools';

export interface Task {
  id: string;
  tool: ToolName;
  request: Record<string, unknown>;
  submittedAt: string;
}

/** What a poll answers. The names of the states in between, and the shape of `info`, are the sandbox's own. */
export type TaskStatus =
  | { status: 'PENDING' | 'STARTED'; info: null }
  | { status: 'SUCCESS'; info: { sandbox: true; images: { url: string }[] } }
  | { status: 'FAILURE'; info: { sandbox: true; errors: string[] } };

/** The tasks and their results. A result is a function of its request, so only requests need to be kept. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();
  readonly #polls = new Map<string, number>();
  /** Tasks that a poll was told the end of; they stay over, whatever the pace says after a restart. */
  readonly #over = new Set<string>();
  readonly #pictures = new Map<string, Promise<Buffer[]>>();

  constructor(
    private readonly pace: Pace,
    private readonly origin: () => string,
    /** Keeps that a task is over, before anyone is told. */
    private readonly keepEnd: (id: string) => Promise<void>,
  ) {}

  make(tool: ToolName, request: Record<string, unknown>): Task {
    return { id: randomUUID(), tool, request, submittedAt: new Date().toISOString() };
  }

  add(task: Task): void {
    this.#tasks.set(task.id, task);
  }

  end(id: string): void {
    this.#over.add(id);
  }

  async poll(id: string): Promise<TaskStatus | undefined> {
    const task = this.#tasks.get(id);
    if (!task) return undefined;
    const polls = (this.#polls.get(id) ?? 0) + 1;
    this.#polls.set(id, polls);
    const ageMs = Date.now() - Date.parse(task.submittedAt);
    const over = this.#over.has(id) || isOver(this.pace, { polls, ageMs });
    if (!over) return { status: polls === 1 ? 'PENDING' : 'STARTED', info: null };
    if (!this.#over.has(id)) await this.keepEnd(id);
    this.#over.add(id);
    return this.#ending(task);
  }

  /** One picture of a task, with its type; undefined where there is none. */
  async picture(id: string, index: number): Promise<{ image: Buffer; type: string } | undefined> {
    const task = this.#tasks.get(id);
    const image = task && (await this.#draw(task).catch(noPictures))[index];
    if (!image) return undefined;
    const tool: SandboxTool = sandboxTools[task.tool];
    return { image, type: tool.contentType(task.request as never) };
  }

  async #ending(task: Task): Promise<TaskStatus> {
    try {
      const pictures = await this.#draw(task);
      const images = pictures.map((_picture, index) => ({
        url: `${this.origin()}/results/${task.id}/${index}`,
      }));
      return { status: 'SUCCESS', info: { sandbox: true, images } };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { status: 'FAILURE', info: { sandbox: true, errors: [error.message] } };
    }
  }

  #draw(task: Task): Promise<Buffer[]> {
    let pictures = this.#pictures.get(task.id);
    if (!pictures) {
      const tool: SandboxTool = sandboxTools[task.tool];
      pictures = tool.run(task.request as never);
      this.#pictures.set(task.id, pictures);
    }
    return pictures;
  }
}

function noPictures(error: unknown): Buffer[] {
  if (error instanceof SourceError) return [];
  throw error;
}
