/** One request, from its arrival to its answer. */
import { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type Caller, identify } from './access';
import { faults } from './faults';
import { type Rules, type Taken } from './faults/rules';
import { type Journal } from './journal';
import { parseJson } from './json';
import { type Ledger, type LedgerEntry, type Observation } from './ledger';
import { type Asked, type Decision, type Operation, refusal, type Service } from './operation';
import { problemsOf } from './problems';
import { type Change } from './state';
import { jsonAnswer, sendWhole, type WireAnswer } from './wire';

/** A line of the journal: a request that was not a read, and its changes. */
export interface JournalLine {
  changes: Change[];
  entry: LedgerEntry | null;
}

export interface Backstage {
  service: Service;
  ledger: Ledger;
  rules: Rules;
  journal: Journal<JournalLine> | undefined;
}

/** A request as it was received. */
export interface Arrival {
  params: unknown;
  query: unknown;
  headers: IncomingHttpHeaders;
  body: Buffer | undefined;
  requestId: string | null;
  /** Without the query. */
  path: string;
  response: ServerResponse;
}

export async function serve(operation: Operation, arrival: Arrival, backstage: Backstage): Promise<void> {
  const { ledger, journal, rules, service } = backstage;
  const taken = rules.take(operation.name, arrival);
  const rule = taken?.rule;
  const { resets } = ledger;
  /** A request that began before a reset must not change the new state. */
  const isFromBeforeReset = (): boolean => ledger.resets > resets;
  const observe = (seen: Partial<Observation>): LedgerEntry =>
    ledger.record({
      operation: operation.name,
      kind: operation.kind,
      requestId: arrival.requestId,
      applied: false,
      status: null,
      taskId: null,
      fault: rule ? `${rule.fault} ${rule.when}` : null,
      ...seen,
    });

  if (taken && rule?.when === 'before') {
    const answer = jsonAnswer(rule.status ?? 503, { detail: 'a fault kept the request from the service' });
    const { ends } = faults[rule.fault];
    if (ends) observe({});
    await befall(taken, arrival, answer);
    if (ends) return;
    if (isFromBeforeReset()) return void arrival.response.destroy();
  }

  const deciding = decide(operation, arrival, service);
  // No `await` between a decision and its changes: otherwise two requests could make the same decision.
  const decision = deciding instanceof Promise ? await deciding : deciding;
  if (isFromBeforeReset()) return void arrival.response.destroy();
  const { status, changes = [], taskId = null, lostKeys, content } = decision;
  for (const change of changes) service.state.apply(change);
  const entry = observe({ applied: status < 300, status, taskId, lostKeys, content });
  arrival.response.once('finish', () => (entry.answeredAt = new Date().toISOString()));
  const isMereRead = operation.kind === 'read' && changes.length === 0;
  if (!isMereRead) journal?.append({ changes, entry: operation.kind === 'read' ? null : entry });
  // The answer is sent only when the changes of this request, and the data that it read, are on disk.
  await journal?.synced();

  const answer = answerOf(decision);
  if (taken && rule?.when === 'after') {
    await befall(taken, arrival, answer);
    if (faults[rule.fault].ends) return;
  }
  if (!arrival.response.destroyed) sendWhole(arrival.response, answer);
}

async function befall(
  { rule: { fault, ms, status }, released }: Taken,
  { response }: Arrival,
  answer: WireAnswer,
): Promise<void> {
  await faults[fault].act({ response, answer, ms, status, released });
}

function decide(operation: Operation, arrival: Arrival, service: Service): Decision | Promise<Decision> {
  const caller = identify(arrival.headers, service.state);
  if ('status' in caller) return caller;
  const asked = read(operation, arrival, caller);
  return 'status' in asked ? asked : operation.handle(asked, service);
}

/** The checked request, or a 400 with every problem of path, query and body. */
function read(
  operation: Operation,
  { params, query, headers, body }: Arrival,
  caller: Caller,
): Asked<never, never, never> | Decision {
  const takesBody = operation.method !== 'GET';
  if (takesBody && !isJson(headers['content-type'])) return refusal(415, 'the body must be application/json');
  const parsed = takesBody ? parseJson(body) : { value: undefined };
  const readings = [
    { part: 'path', reading: operation.path.safeParse(params) },
    { part: 'query', reading: operation.query.safeParse(query) },
    ...('value' in parsed ? [{ part: 'body', reading: operation.body.safeParse(parsed.value) }] : []),
  ];
  const problems = readings.flatMap(({ part, reading }) =>
    reading.error ? problemsOf(reading.error, part === 'body' ? undefined : part) : [],
  );
  if (!('value' in parsed)) problems.push(`body: ${parsed.problem}`);
  if (problems.length > 0) return refusal(400, 'validation error', problems);
  const [path, search, content] = readings.map(({ reading }) => reading.data as never);
  return { path: path as never, query: search as never, body: content as never, caller, headers };
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
}

function answerOf({ status, body, contentType, headers = {} }: Decision): WireAnswer {
  if (contentType === undefined) return jsonAnswer(status, body, headers);
  return { status, headers: { 'content-type': contentType, ...headers }, body: Buffer.from(String(body)) };
}
