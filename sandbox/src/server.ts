/** The service on loopback, for development and tests of Segue. */
import { type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { addControls, ControlError } from './control';
import { type Backstage, type JournalLine, serve } from './exchange';
import { Rules } from './faults/rules';
import { Pictures } from './images/pictures';
import { renderSample, sampleNames } from './images/samples';
import { Journal } from './journal';
import { Ledger } from './ledger';
import { openApiDocument } from './openapi';
import { type Service } from './operation';
import { operations } from './operations';
import { originOf } from './origin';
import { type Pace } from './pace';
import { addPage } from './page';
import { EXAMPLE_SEED, loadSeed, type Seed } from './seed';
import { State } from './state';

export { SANDBOX_KEY } from './keys';

const LARGEST_BODY_BYTES = 32 * 1024 * 1024;
const LONGEST_PATH = 64 * 1024;

export interface SandboxOptions {
  /** 0 takes a free port. */
  port?: number;
  host?: string;
  pace?: Pace;
  /** Keeps what was acknowledged in this file; in memory when left out. */
  db?: string;
  /** Its initial content, unless `db` has a state already. Default: the example seed. */
  seed?: Seed;
  /** Workspaces by other ids: sandboxes that share a Temporal cluster must not share project writers. */
  otherIds?: Map<number, number>;
  /** Whether projects have an ETag and If-Match is honoured (default: yes). */
  etags?: boolean;
  /** Called for every request, for a log. */
  onRequest?: (line: string) => void;
}

export interface Sandbox {
  url: string;
  /** False if `db` had a state already. */
  seeded: boolean;
  stop: () => Promise<void>;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const app = fastify({
    bodyLimit: LARGEST_BODY_BYTES,
    // Requests in progress are finished, and idle connections are closed.
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    // An id may have any length; an unknown one is answered with 404.
    routerOptions: { maxParamLength: LONGEST_PATH },
    // Errors before any route, like a path that cannot be decoded, are answered in the same shape.
    frameworkErrors: (error, _request, reply) => void answerError(error, reply as FastifyReply),
  });
  const state = new State(options.otherIds);
  const ledger = new Ledger();
  const seed = options.seed ?? (await loadSeed(EXAMPLE_SEED));
  const journal = options.db
    ? await Journal.open<JournalLine>(options.db, replayInto(state, ledger))
    : undefined;
  const seeded = journal?.isNew ?? true;
  if (seeded) plant(seed, state, journal);
  const origin = (): string => {
    const { address, port } = app.server.address() as AddressInfo;
    return originOf(address, port);
  };
  const service: Service = {
    state,
    pace: options.pace ?? { kind: 'polls', polls: 2 },
    pictures: new Pictures(origin),
    etags: options.etags ?? true,
    origin,
  };
  const rules = new Rules();
  const backstage: Backstage = { service, ledger, rules, journal };
  const answering = watchAnswers(app);

  logRequests(app, options.onRequest);
  answerErrors(app);
  // A body is read only after the caller is known, so that no error describes it before that.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  addOperations(app, backstage);
  addControls(app, { ...backstage, seed });
  addPictures(app, service);
  addPage(app, backstage);
  app.get('/openapi.json', () => openApiDocument(origin()));

  await app.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' });
  return {
    url: origin(),
    seeded,
    async stop() {
      rules.clear();
      const closed = app.close();
      // Complete requests are answered; incomplete requests and idle connections are closed.
      await Promise.all([...answering].map(untilOut));
      app.server.closeAllConnections();
      await closed;
      await journal?.close();
    },
  };
}

/** Complete requests whose answer is not sent yet. */
function watchAnswers(app: FastifyInstance): ReadonlySet<ServerResponse> {
  const answering = new Set<ServerResponse>();
  app.addHook('preHandler', (_request, { raw }, done) => {
    answering.add(raw);
    raw.once('close', () => answering.delete(raw));
    done();
  });
  return answering;
}

/** Resolves when the answer is sent or the client has gone. */
async function untilOut(response: ServerResponse): Promise<void> {
  const { socket } = response.req;
  if (socket.destroyed) return;
  await new Promise((done) => {
    response.once('close', done);
    socket.once('close', done);
  });
}

function replayInto(state: State, ledger: Ledger) {
  return ({ changes, entry }: JournalLine): void => {
    for (const change of changes) {
      if (change.type === 'reset') ledger.clear();
      state.apply(change);
    }
    if (entry) ledger.take(entry);
  };
}

function plant(seed: Seed, state: State, journal: Journal<JournalLine> | undefined): void {
  const change = { type: 'seed' as const, seed, at: new Date().toISOString() };
  state.apply(change);
  journal?.append({ changes: [change], entry: null });
}

function addOperations(app: FastifyInstance, backstage: Backstage): void {
  const methods = new Map<string, HTTPMethods[]>();
  for (const operation of operations) {
    const url = operation.url.replace(/\{(\w+)\}/g, ':$1');
    methods.set(url, [...(methods.get(url) ?? []), operation.method]);
    app.route({
      method: operation.method,
      url,
      async handler(request, reply) {
        // Written to the raw response, because a fault may cut it anywhere.
        reply.hijack();
        const { params, query, headers } = request;
        const body = Buffer.isBuffer(request.body) ? request.body : undefined;
        const [path = ''] = request.url.split('?');
        const arrival = {
          ...{ params, query, headers, body, path },
          ...{ requestId: requestId(request), response: reply.raw },
        };
        await serve(operation, arrival, backstage).catch((error: unknown) => {
          reply.raw.destroy(error as Error);
        });
      },
    });
  }
  for (const [url, allowed] of methods) refuseOtherMethods(app, url, allowed);
}

function refuseOtherMethods(app: FastifyInstance, url: string, allowed: HTTPMethods[]): void {
  const others = app.supportedMethods.filter((method) => !allowed.includes(method));
  const refuse = async (_request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    reply
      .code(405)
      .header('allow', allowed.join(', '))
      .send({ detail: `this path takes ${allowed.join(', ')}` });
  // Checked before the body is read, because a refused method needs no body.
  app.route({ method: others, url, onRequest: refuse, handler: refuse });
}

function addPictures(app: FastifyInstance, { state, pictures }: Service): void {
  app.get<{ Params: { name: string } }>('/samples/:name', async (request, reply) => {
    const image = await renderSample(request.params.name);
    if (!image) throw new ControlError(404, `the samples are ${sampleNames.join(', ')}`);
    return reply.type('image/png').send(image);
  });

  app.get<{ Params: { id: string; index: string } }>('/results/:id/:index', async (request, reply) => {
    const task = state.tasks.get(request.params.id);
    const isThere = state.tasksOver.get(request.params.id)?.ok === true;
    const picture = task && isThere && (await pictures.picture(task, Number(request.params.index)));
    if (!picture) throw new ControlError(404, 'no such result');
    // The pictures of a task never change, and drawing them takes time.
    return reply.header('cache-control', 'private, max-age=3600').type(picture.type).send(picture.image);
  });
}

function logRequests(app: FastifyInstance, log: SandboxOptions['onRequest']): void {
  if (!log) return;
  app.addHook('onRequest', (request, reply, done) => {
    // Logged when the connection closes, because a fault may prevent the answer.
    reply.raw.once('close', () => {
      const { writableFinished, statusCode, errored } = reply.raw;
      const outcome = writableFinished ? String(statusCode) : 'no answer';
      const failure = errored ? `(${errored.message})` : '';
      const line = [request.method, request.url, outcome, requestId(request) ?? '', failure];
      log(line.filter((part) => part !== '').join(' '));
    });
    done();
  });
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: AnsweredError, _request, reply) => answerError(error, reply));
  app.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .send({ detail: `there is nothing at ${request.method} ${request.url.split('?')[0] ?? ''}` }),
  );
}

type AnsweredError = Error & { statusCode?: number; errors?: string[] };

function answerError(
  { statusCode = 500, message, errors }: AnsweredError,
  reply: FastifyReply,
): FastifyReply {
  return reply.code(statusCode).send({ detail: message, ...(errors ? { errors } : {}) });
}

function requestId(request: FastifyRequest): string | null {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' ? header : null;
}
