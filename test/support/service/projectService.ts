/** A service with one project; a test decides how it answers each request. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Project extends Record<string, unknown> {
  title?: string;
  data?: unknown;
}

export interface Patch {
  body: Project;
  ifMatch: string | undefined;
  headers: Record<string, unknown>;
}

type Lost = 'reset' | 'hang';

/** Replaces the usual answer: another answer, or a lost one. */
export type Fault = { status: number; body?: unknown; headers?: Record<string, string> } | Lost;

/** Its answer is lost, and it is applied `ms` after the last read, so after all requests until then. */
export interface LatePatch {
  late: Lost;
  ms: number;
}

export interface ProjectService {
  url: string;
  project: Project;
  /** Whether reads give an ETag, and of which kind. */
  etags: 'strong' | 'weak' | 'none';
  reads: number;
  workspaceStatus: number;
  patches: Patch[];
  /** Called for each PATCH before it is applied; a PATCH with another answer is not applied. */
  onPatch: (patch: Patch, count: number) => Fault | LatePatch | undefined;
  onRead: (count: number) => Fault | undefined;
  /** Rewrites each answer before it is sent. */
  asSent: (text: string) => string;
  /** Changes the project like a client outside Segue. */
  writeOutside: (change: (data: Record<string, unknown>) => void) => void;
  /** Applies the late PATCHes that are not applied yet. */
  applyLate: () => void;
  stop: () => Promise<void>;
}

export const PROJECT = { resourcetype: 'campaign', id: '7' };
export const WORKSPACE_ID = 42;
const PATH = '/api/v1/projects/campaign/7';

export async function startProjectService(
  data: unknown = { kept: { deep: [1, null] } },
): Promise<ProjectService> {
  let version = 1;
  let lastReadAt = 0;
  let late: { patch: Patch; at: number }[] = [];
  const service: ProjectService = {
    ...{ url: '', project: { title: 'Spring', data }, etags: 'strong', reads: 0, patches: [] },
    workspaceStatus: 200,
    onPatch: () => undefined,
    onRead: () => undefined,
    asSent: (sent) => sent,
    writeOutside(change) {
      change(service.project.data as Record<string, unknown>);
      version += 1;
    },
    applyLate: () => {
      applyLateUntil(Infinity);
    },
    stop: () => Promise.resolve(),
  };
  const etag = (): string => `"v${version}"`;

  /** Applies it, unless If-Match names another version, and gives whether it did. */
  function apply({ body, ifMatch }: Patch): boolean {
    if (ifMatch !== undefined && ifMatch !== etag()) return false;
    Object.assign(service.project, body);
    version += 1;
    return true;
  }

  function applyLateUntil(time: number): void {
    for (const { patch } of late.filter(({ at }) => at <= time)) apply(patch);
    late = late.filter(({ at }) => at > time);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(service.asSent(JSON.stringify(body)));
    };
    const sendFault = (fault: Fault): void => {
      if (fault === 'reset') request.socket.resetAndDestroy();
      else if (fault !== 'hang') send(fault.status, fault.body ?? {}, fault.headers);
    };
    applyLateUntil(Date.now());
    if (request.url === '/api/v1/workspaces/current') {
      send(service.workspaceStatus, {
        workspace: { id: Number(request.headers.organization ?? WORKSPACE_ID) },
      });
    } else if (request.url !== PATH) {
      send(404, { detail: 'no such project' });
    } else if (request.method === 'GET') {
      lastReadAt = Date.now();
      const fault = service.onRead(++service.reads);
      const tag = { strong: etag(), weak: `W/${etag()}`, none: undefined }[service.etags];
      if (fault) sendFault(fault);
      else send(200, service.project, tag === undefined ? {} : { etag: tag });
    } else {
      const ifMatch = request.headers['if-match'];
      const patch = { body: JSON.parse(await text(request)) as Project, ifMatch, headers: request.headers };
      service.patches.push(patch);
      const fault = service.onPatch(patch, service.patches.length);
      if (typeof fault === 'object' && 'late' in fault) {
        late.push({ patch, at: lastReadAt + fault.ms });
        sendFault(fault.late);
      } else if (typeof fault === 'object') {
        sendFault(fault);
      } else if (!apply(patch)) {
        send(412, { detail: 'changed since' });
      } else if (fault) {
        sendFault(fault);
      } else {
        send(200, service.project);
      }
    }
  }

  // 0 keeps idle connections open: closing one could reset a request that a busy client has just sent.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service.stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return service;
}
