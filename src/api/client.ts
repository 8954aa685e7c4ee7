/** The service, typed. It knows nothing of Temporal. */
import { bytesOf, isDeeper, truncate } from './json';
import {
  AnswerError,
  InvalidRequestError,
  isUnknownWorkspace,
  NotConfiguredError,
  zodProblems,
  StatusError,
} from './errors';
import { type ExchangeLimits } from './exchange';
import { Http, type HttpAnswer, type HttpSettings, isSuccess } from './http';
import {
  type Answered,
  type AnyOperation,
  type HttpRequest,
  MissingSetting,
  type RequestOf,
  type ResponseOf,
  type ServiceLayout,
} from './operation';
import { type Operations, operations } from './operations';
import { WORKSPACE_PATH } from './operations/workspace';
import { type Notification, notification, NOTIFY_PATH } from './operations/notify';
import {
  type NotifyOutcome,
  notifyOutcomeOfAnswer,
  outcomeOfAnswer,
  outcomeOfFailure,
  type SubmitOutcome,
} from './outcomes';
import { validateScope, type Scope } from './scope';
import { findTool, validateRequest } from './tools';

export interface CallOptions extends Omit<ExchangeLimits, 'members'> {
  requestId: string;
  scope?: Scope;
  /** Returns the answer unredacted, for the project writer, which sends it back. Other answers end up in histories. */
  verbatim?: boolean;
}

export interface ApiSettings extends HttpSettings {
  layout: ServiceLayout;
}

export type Calls = {
  [Name in keyof Operations]: (
    request: RequestOf<Operations[Name]>,
    options: CallOptions,
  ) => Promise<ResponseOf<Operations[Name]>>;
};

export interface Api extends Calls {
  /** Sends at most one POST and returns what is known of it. It never throws. */
  submit: (tool: string, request: Record<string, unknown>, options: CallOptions) => Promise<SubmitOutcome>;
  /** Sends at most one notification and returns what is known of it. It never throws. */
  notify: (notification: Notification, options: CallOptions) => Promise<NotifyOutcome>;
  /** How far this machine's clock is ahead of the service's, in milliseconds; null when it does not send its time. */
  clockSkew: (options: CallOptions) => Promise<number | null>;
  close: () => Promise<void>;
}

/** The API states no limit; this one keeps a mistake from being sent for minutes. */
const LARGEST_REQUEST_BYTES = 8 * 1024 * 1024;

/** The stack of any function that walks through an answer has room for twice as many levels. */
const DEEPEST_ANSWER = 500;

export function createApi(settings: ApiSettings): Api {
  const http = new Http(settings);
  const calls = Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (request: unknown, options: CallOptions) => call(http, settings.layout, operation, request, options),
    ]),
  ) as unknown as Calls;
  return {
    ...calls,
    submit: (tool, request, options) => submit(http, tool, request, options),
    notify: (message, options) => notify(http, message, options),
    clockSkew: (options) => clockSkew(http, options),
    close: () => http.close(),
  };
}

async function call(
  http: Http,
  layout: ServiceLayout,
  operation: AnyOperation,
  request: unknown,
  options: CallOptions,
): Promise<unknown> {
  const facts = { operation: operation.name, requestId: options.requestId };
  const checked = operation.request.safeParse(request);
  const problems = [...(checked.error ? zodProblems(checked.error) : []), ...validateScope(options.scope)];
  if (problems.length > 0) throw new InvalidRequestError(problems, facts);
  try {
    const outgoing = operation.toHttp(checked.data, layout);
    const tooLarge = validateSize(outgoing.body, options.largestBytes);
    if (tooLarge.length > 0) throw new InvalidRequestError(tooLarge, facts);
    const { name, text, members } = operation;
    const path = withQuery(outgoing);
    const answer = await http.exchange({ ...options, ...outgoing, path, operation: name, text, members });
    return readAnswer(http, layout, operation, answer, options);
  } catch (error) {
    throw error instanceof MissingSetting ? new NotConfiguredError(error, facts) : error;
  }
}

function readAnswer(
  http: Http,
  layout: ServiceLayout,
  operation: AnyOperation,
  answer: HttpAnswer,
  options: CallOptions,
): unknown {
  const facts = { operation: operation.name, requestId: options.requestId };
  if (!isSuccess(answer)) {
    const hint = answer.status === 404 ? operation.onNotFound : undefined;
    throw new StatusError(answer, { ...facts, hint });
  }
  const isEmpty = operation.mayBeEmpty && answer.body.trim() === '';
  const body = operation.text ? answer.body : isEmpty ? null : parseJson(answer, facts);
  const answered: Answered = { body, text: answer.body, etag: answer.etag ?? null };
  const shown = options.verbatim ? answered : http.redactAll(answered);
  const checked = operation.response.safeParse(operation.read ? operation.read(shown, layout) : shown.body);
  if (checked.success) return checked.data;
  const problems = zodProblems(checked.error, 'answer').join('; ');
  throw new AnswerError(`the answer has another shape than expected: ${problems}`, facts);
}

async function submit(
  http: Http,
  tool: string,
  request: Record<string, unknown>,
  options: CallOptions,
): Promise<SubmitOutcome> {
  const problems = [...validateRequest(tool, request), ...validateScope(options.scope)];
  const path = findTool(tool)?.path;
  if (problems.length > 0 || path === undefined) return refusedHere(problems);
  return http
    .exchange({ ...options, operation: tool, method: 'POST', path, body: request })
    .then((answer) => outcomeOfAnswer(answer, (text) => http.redactAll(text)))
    .catch(outcomeOfFailure);
}

async function notify(http: Http, message: Notification, options: CallOptions): Promise<NotifyOutcome> {
  const { data: body, error } = notification.safeParse(message);
  const problems = [
    ...(error ? zodProblems(error) : []),
    ...validateScope(options.scope),
    ...validateSize(message),
  ];
  if (problems.length > 0) return refusedHere(problems);
  return http
    .exchange({ ...options, operation: 'notify', method: 'POST', path: NOTIFY_PATH, body })
    .then(notifyOutcomeOfAnswer)
    .catch(outcomeOfFailure);
}

async function clockSkew(http: Http, options: CallOptions): Promise<number | null> {
  const call = { operation: 'read the clock', method: 'GET', path: WORKSPACE_PATH } as const;
  const { date, times } = await http.exchange({ ...options, ...call });
  const earliest = Date.parse(date ?? '');
  if (Number.isNaN(earliest)) return null;
  // The header has whole seconds, of some moment between the two that this machine saw.
  const latest = earliest + 999;
  if (latest < times.sent) return times.sent - latest;
  if (earliest > times.answered) return times.answered - earliest;
  return 0;
}

function refusedHere(problems: string[]): { outcome: 'refused'; reason: string } {
  return {
    outcome: 'refused',
    reason: truncate(`not sent, the request is wrong: ${problems.join('; ')}`, 2_000),
  };
}

function validateSize(body: unknown, most = LARGEST_REQUEST_BYTES): string[] {
  const bytes = bytesOf(body);
  return bytes <= most ? [] : [`request: has ${bytes} bytes, more than ${most}`];
}

function withQuery({ path, query = {} }: HttpRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

function parseJson(answer: HttpAnswer, facts: { operation: string; requestId: string }): unknown {
  let json: unknown;
  try {
    json = JSON.parse(answer.body);
  } catch {
    throw new AnswerError(`the answer is not JSON: ${answer.serviceMessage}`, facts);
  }
  if (isDeeper(json, DEEPEST_ANSWER))
    throw new AnswerError(`the answer is nested deeper than ${DEEPEST_ANSWER} levels`, facts);
  return json;
}

const ASK_AGAIN_MS = 1_000;

/** The id of the workspace that a call with this scope is about. */
export type OrganizationOf = (scope: Scope | undefined, options: CallOptions) => Promise<string>;

/**
 * As the service gives it, for the scope, else the setting, else the credential: two spellings of a workspace would give
 * its projects two writers. The service is asked once for each, and at most once a second while it gives none.
 */
export function organizationResolver(api: Pick<Api, 'getWorkspace'>, configured?: string): OrganizationOf {
  const known = new Map<string | undefined, Promise<string>>();
  return async (scope, options) => {
    const given = scope?.organization ?? configured;
    const answer = known.get(given) ?? askOrganization(api, given, options);
    known.set(given, answer);
    try {
      return await answer;
    } catch (error) {
      setTimeout(() => known.get(given) === answer && known.delete(given), ASK_AGAIN_MS).unref();
      throw error;
    }
  };
}

/** Why the workspace of a scope is unknown. */
export interface OrganizationProblem {
  reason: string;
  /** The service does not find the workspace now, and may find it later. */
  isTemporary: boolean;
}

/** Null also where the service does not answer now. */
export async function organizationProblem(
  organizationOf: OrganizationOf,
  scope: Scope | undefined,
  options: CallOptions,
): Promise<OrganizationProblem | null> {
  try {
    await organizationOf(scope, options);
    return null;
  } catch (error) {
    const isTemporary = isUnknownWorkspace(error);
    return isTemporary || error instanceof NotConfiguredError ? { reason: error.message, isTemporary } : null;
  }
}

async function askOrganization(
  api: Pick<Api, 'getWorkspace'>,
  given: string | undefined,
  options: CallOptions,
): Promise<string> {
  const scope = given === undefined ? undefined : { organization: given };
  const { workspace } = await api.getWorkspace({}, { ...options, scope });
  const id = typeof workspace?.id === 'number' ? String(workspace.id) : given;
  if (id !== undefined) return id;
  const problem = 'the service does not name the workspace of the credential';
  const facts = { operation: 'get workspace', requestId: options.requestId };
  throw new NotConfiguredError({ problem, setting: 'SEGUE_ORGANIZATION' }, facts);
}
