import { randomInt } from 'node:crypto';
import { type RuleRequest } from '../../../sandbox/src/faults/rules';
import { SANDBOX_KEY } from '../../../sandbox/src/keys';
import { type LedgerEntry, type LedgerSummary } from '../../../sandbox/src/ledger';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox as startPlainSandbox,
} from '../../../sandbox/src/server';

export interface TestSandbox extends Sandbox {
  /** The service's id of the workspace that is seeded as 1: tests on one Temporal server must not share project writers. */
  workspace: string;
  /** The tests share a worker, which reads the id only once. */
  keepsWorkspace?: boolean;
  /** Gives it another id. */
  renameWorkspace: () => void;
}

/** Tests share a Temporal server, and a writer of an earlier test may be open on a task queue without a worker. */
export function newWorkspace(): number {
  return randomInt(1_000, 999_999_999);
}

/** The service's id of the workspace of the key. */
export async function workspaceOf(sandboxUrl: string): Promise<string> {
  const { json } = await ask(sandboxUrl, 'GET /workspaces/current');
  return String((json.workspace as { id: number }).id);
}

export async function startSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const otherIds = new Map<number, number>();
  const sandbox = await startPlainSandbox({ ...options, otherIds });
  const renameWorkspace = (): void => {
    const id = newWorkspace();
    otherIds.set(id, 1);
    running.workspace = String(id);
  };
  const running: TestSandbox = { ...sandbox, workspace: '', renameWorkspace };
  renameWorkspace();
  return running;
}

/**
 * Called at the top of a test file or a `describe`: one sandbox from the first test to the last. The returned object is
 * filled in before the first test.
 */
export function useSandbox(options: SandboxOptions = {}): TestSandbox {
  const sandbox = {} as TestSandbox;
  let started: TestSandbox | undefined;
  beforeAll(async () => {
    started = await startSandbox(options);
    Object.assign(sandbox, started);
  });
  beforeEach(() => {
    // The writers of the previous test are open for an hour, on a task queue that no worker polls any more.
    if (!sandbox.keepsWorkspace) started?.renameWorkspace();
    Object.assign(sandbox, { workspace: started?.workspace });
  });
  afterAll(() => started?.stop());
  return sandbox;
}

/** The same, with a new one for each test: for tests that count what it saw. */
export function useSandboxEach(options: SandboxOptions = {}): TestSandbox {
  const sandbox = {} as TestSandbox;
  beforeEach(async () => {
    Object.assign(sandbox, await startSandbox(options));
  });
  afterEach(async () => {
    if ('stop' in sandbox) await sandbox.stop();
  });
  return sandbox;
}

/** A sandbox for the time of `work`: concurrent tests have no hooks of their own. */
export async function withSandbox<T>(
  options: SandboxOptions,
  work: (sandboxUrl: string) => Promise<T>,
): Promise<T> {
  const { url, stop } = await startSandbox(options);
  return work(url).finally(stop);
}

export interface LedgerReading {
  entries: LedgerEntry[];
  summary: LedgerSummary;
}

/** The ledger: what the service itself saw. */
export async function readLedger(sandboxUrl: string): Promise<LedgerReading> {
  const response = await fetch(`${sandboxUrl}/_sandbox/ledger`);
  return (await response.json()) as LedgerReading;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON. */
  json: Record<string, unknown>;
}

export interface CallOptions {
  body?: unknown;
  /** Null sends none. */
  key?: string | null;
  headers?: Record<string, string>;
}

/** Calls the service (`GET /api/v1/…`) or, with `_sandbox` in the path, its control API. */
export async function ask(sandboxUrl: string, line: string, options: CallOptions = {}): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const { body, key = SANDBOX_KEY, headers } = options;
  const response = await fetch(sandboxUrl + (path.startsWith('/_sandbox') ? path : `/api/v1${path}`), {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === null ? {} : { authorization: `Api-Key ${key}` }),
      ...headers,
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

/** Every request of this kind is answered with the status, and none is applied. */
export function answering(status: number, operation: string): RuleRequest {
  return { operation, match: { every: 1 }, fault: 'status', status, when: 'before' };
}

/** No request of this kind is answered or applied. */
export function unanswered(operation: string): RuleRequest {
  return { operation, match: { every: 1 }, fault: 'hang', when: 'before' };
}

export async function addFault(sandboxUrl: string, rule: RuleRequest): Promise<void> {
  await addPassingFault(sandboxUrl, rule);
}

/** Adds a fault that can be removed; the requests that it delays then continue. */
export async function addPassingFault(
  sandboxUrl: string,
  rule: RuleRequest,
): Promise<{ takeAway: () => Promise<unknown> }> {
  const { status, text } = await ask(sandboxUrl, 'POST /_sandbox/faults', { body: rule });
  if (status !== 201) throw new Error(text);
  const id = String(parsed(text).id);
  return { takeAway: () => ask(sandboxUrl, `DELETE /_sandbox/faults/${id}`) };
}

/** How often each fault was applied, in the order in which they were added. */
export async function faultHits(sandboxUrl: string): Promise<number[]> {
  const { json } = await ask(sandboxUrl, 'GET /_sandbox/faults');
  return (json.faults as { hits: number }[]).map(({ hits }) => hits);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
