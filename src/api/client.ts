/** The service, typed. It knows nothing of Temporal. */
import { z } from 'zod';
import { ApiError, serviceWords } from './errors';
import { Http, type HttpAnswer, type HttpSettings } from './http';
import { outcomeOfAnswer, outcomeOfFailure, type SubmitOutcome } from './outcomes';
import { mediaTools, problemsOfRequest } from './tools';

export interface CallOptions {
  requestId: string;
  timeoutMs: number;
  scope?: { organization?: string; space?: string };
}

const taskPoll = z.looseObject({ status: z.string(), info: z.unknown().optional() });

export class MediaApi {
  readonly #http: Http;

  constructor(settings: HttpSettings) {
    this.#http = new Http(settings);
  }

  /** Sends one POST, at most one, and tells what is known of it. It never throws. */
  async submit(
    tool: string,
    request: Record<string, unknown>,
    options: CallOptions & { sendBefore?: number },
  ): Promise<SubmitOutcome> {
    const problems = problemsOfRequest(tool, request);
    const path = mediaTools[tool]?.path;
    if (problems.length > 0 || path === undefined) {
      return { outcome: 'refused', reason: `not sent, the request is wrong: ${problems.join('; ')}` };
    }
    try {
      const answer = await this.#http.exchange({
        ...options,
        operation: tool,
        method: 'POST',
        path,
        body: request,
      });
      return outcomeOfAnswer(answer);
    } catch (error) {
      return outcomeOfFailure(error);
    }
  }

  async getTask(taskId: string, options: CallOptions): Promise<{ status: string; info: unknown }> {
    const operation = 'get task';
    const path = `/api/v1/tasks/${encodeURIComponent(taskId)}`;
    const answer = await this.#http.exchange({ ...options, operation, method: 'GET', path });
    const { status, info } = expectBody(operation, options.requestId, answer, taskPoll);
    return { status, info: info ?? null };
  }

  async close(): Promise<void> {
    await this.#http.close();
  }
}

/** The body of a 2xx answer, in the shape we act on; unknown fields are kept. */
function expectBody<T>(operation: string, requestId: string, answer: HttpAnswer, shape: z.ZodType<T>): T {
  const facts = { operation, requestId, status: answer.status, retryAfterMs: answer.retryAfterMs };
  if (answer.status < 200 || answer.status >= 300) {
    throw new ApiError(`status ${answer.status}: ${serviceWords(answer.body) || 'no words'}`, facts);
  }
  let json: unknown;
  try {
    json = JSON.parse(answer.body);
  } catch {
    throw new ApiError(`the answer is not JSON: ${serviceWords(answer.body)}`, facts);
  }
  const body = shape.safeParse(json);
  if (body.success) return body.data;
  const problems = body.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new ApiError(`the answer has another shape than expected: ${problems.join('; ')}`, facts);
}
