import { randomUUID } from 'node:crypto';
import { isOver, type Pace } from './pace';
import { removeBackground, type RemoveBackgroundRequest } from './removeBackground';
import { SourceError } from './sources';

export interface Task {
  id: string;
  tool: 'remove-background';
  request: RemoveBackgroundRequest;
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
  readonly #results = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly pace: Pace,
    private readonly origin: () => string,
    /** Keeps that a task is over, before anyone is told. */
    private readonly keepEnd: (id: string) => Promise<void>,
  ) {}

  make(tool: Task['tool'], request: RemoveBackgroundRequest): Task {
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
    try {
      await this.result(id);
      return {
        status: 'SUCCESS',
        info: { sandbox: true, images: [{ url: `${this.origin()}/results/${id}` }] },
      };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { status: 'FAILURE', info: { sandbox: true, errors: [error.message] } };
    }
  }

  result(id: string): Promise<Buffer> | undefined {
    const task = this.#tasks.get(id);
    if (!task) return undefined;
    let result = this.#results.get(id);
    if (!result) {
      result = removeBackground(task.request);
      this.#results.set(id, result);
    }
    return result;
  }

  contentType(id: string): string {
    return `image/${this.#tasks.get(id)?.request.output_format ?? 'png'}`;
  }
}
