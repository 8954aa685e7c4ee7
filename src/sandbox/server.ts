/** The service on loopback: what Segue is developed, tried and judged against. */
import { type AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Journal } from './journal';
import { Ledger, type Observation } from './ledger';
import { type Pace } from './pace';
import { renderSample, sampleNames } from './samples';
import { type Task, Tasks } from './tasks';
import { sandboxTools, type ToolName } from './tools';
import { workspaceContext } from './workspace';

export const SANDBOX_KEY = 'sandbox-key';

export interface SandboxOptions {
  /** 0 takes a free one. */
  port?: number;
  host?: string;
  pace?: Pace;
  /** Keeps what was acknowledged in this file; in memory when left out. */
  db?: string;
  /** Called for every request, for a log. */
  onRequest?: (line: string) => void;
}

export interface Sandbox {
  url: string;
  stop: () => Promise<void>;
}

/** What the journal keeps. */
type Kept = { type: 'submission'; task: Task; observation: Observation } | { type: 'end'; taskId: string };

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const app = fastify({ forceCloseConnections: true, bodyLimit: 32 * 1024 * 1024 });
  const ledger = new Ledger();
  const tasks: Tasks = new Tasks(
    options.pace ?? { kind: 'polls', polls: 2 },
    () => originOf(app),
    async (taskId) => journal?.append({ type: 'end', taskId }),
  );
  const apply = (kept: Kept): void => {
    if (kept.type === 'end') {
      tasks.end(kept.taskId);
      return;
    }
    tasks.add(kept.task);
    ledger.record(kept.observation, kept.task.submittedAt);
  };
  const journal = options.db ? await Journal.open<Kept>(options.db, apply) : undefined;

  app.addHook('onResponse', (request, reply, done) => {
    options.onRequest?.(
      `${request.method} ${request.url} ${reply.statusCode} ${requestId(request) ?? ''}`.trim(),
    );
    done();
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ detail: error.message }),
  );

  await app.register(
    (api, _options, done) => {
      api.addHook('onRequest', requireCredential);

      for (const name of Object.keys(sandboxTools) as ToolName[]) {
        api.post(`/tools/${name}`, async (request, reply) => {
          const observe = observer(name, 'submit', request);
          const body = sandboxTools[name].request.safeParse(request.body);
          if (!body.success) {
            ledger.record(observe({ applied: false, status: 400 }));
            const errors = body.error.issues.map(
              (issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`,
            );
            return reply.code(400).send({ detail: 'validation error', errors });
          }
          const task = tasks.make(name, body.data);
          const submission: Kept = {
            type: 'submission',
            task,
            observation: observe({ applied: true, status: 202, taskId: task.id }),
          };
          await journal?.append(submission);
          apply(submission);
          return reply.code(202).send({ task_id: task.id });
        });
      }

      api.get('/workspaces/current', (request) => {
        ledger.record(observer('get-workspace', 'read', request)({ applied: true, status: 200 }));
        return workspaceContext;
      });

      api.get<{ Params: { id: string } }>('/tasks/:id', async (request, reply) => {
        const observe = observer('get-task', 'read', request);
        const taskId = request.params.id;
        const status = await tasks.poll(taskId);
        ledger.record(observe({ applied: status !== undefined, status: status ? 200 : 404, taskId }));
        return status ?? reply.code(404).send({ detail: 'task not found' });
      });
      done();
    },
    { prefix: '/api/v1' },
  );

  app.get('/_sandbox/ledger', () => ({ entries: ledger.entries, summary: ledger.summary() }));

  app.get<{ Params: { name: string } }>('/samples/:name', async (request, reply) => {
    const image = await renderSample(request.params.name);
    if (!image) return reply.code(404).send({ detail: `the samples are ${sampleNames.join(', ')}` });
    return reply.type('image/png').send(image);
  });

  app.get<{ Params: { id: string; index: string } }>('/results/:id/:index', async (request, reply) => {
    const picture = await tasks.picture(request.params.id, Number(request.params.index));
    if (!picture) return reply.code(404).send({ detail: 'no such result' });
    return reply.type(picture.type).send(picture.image);
  });

  await app.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' });
  return {
    url: originOf(app),
    async stop() {
      await app.close();
      await journal?.close();
    },
  };
}

/** Where the sandbox can be reached from this machine; a wildcard address is reached on loopback. */
function originOf(app: FastifyInstance): string {
  const { address, port, family } = app.server.address() as AddressInfo;
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}

async function requireCredential(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const known = [`Api-Key ${SANDBOX_KEY}`, `Bearer ${SANDBOX_KEY}`];
  if (known.includes(request.headers.authorization ?? '')) return;
  await reply.code(401).send({ detail: 'missing or invalid credential' });
}

function requestId(request: FastifyRequest): string | null {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' ? header : null;
}

function observer(operation: string, kind: Observation['kind'], request: FastifyRequest) {
  return (result: { applied: boolean; status: number; taskId?: string }): Observation => ({
    operation,
    kind,
    requestId: requestId(request),
    taskId: null,
    ...result,
  });
}
