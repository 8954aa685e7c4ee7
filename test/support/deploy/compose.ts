/**
 * Starts the services of a compose file as processes, with the commands, settings, order and health checks of the file.
 *
 * Containers have networks and folders of their own, processes share them. So these are replaced in commands, settings
 * and health checks: each published port by a free one, `SERVICE:PORT` and 0.0.0.0 by loopback, the path of a volume by a
 * folder. Temporal's image is the `temporal` binary of the tests; it gets its ports as flags, because the file leaves them
 * at their defaults. The times of a health check are not kept: a busy machine may take longer. A service that fails is an
 * error, whatever its `restart`. A key that the schema does not know is an error, too.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { freePort, TEMPORAL_CLI_VERSION } from '@segue/devserver';
import { type Stage } from './dockerfile';
import { Service } from './service';

const text = z.string();
const cmd = z.tuple([z.literal('CMD')], text);
const joined = (form: RegExp) => z.array(text.regex(form).transform((words) => words.split(':'))).default([]);
const condition = z.enum(['service_healthy', 'service_completed_successfully']);
const serviceEntry = z.strictObject({
  profiles: z.tuple([z.literal('dev')]),
  image: z.literal(`temporalio/temporal:${TEMPORAL_CLI_VERSION}`).optional(),
  build: z.strictObject({ context: z.literal('.'), target: text }).optional(),
  user: z.literal('root').optional(),
  command: z.array(text).optional(),
  environment: z.record(text, text).default({}),
  ports: joined(/^127\.0\.0\.1:\d+:\d+$/),
  volumes: joined(/^[\w-]+:\/\w+$/),
  healthcheck: z.strictObject({ test: cmd, interval: text, timeout: text, retries: z.int() }).optional(),
  depends_on: z.record(text, z.strictObject({ condition })).default({}),
  stop_grace_period: text.optional(),
  restart: text.optional(),
});
export const composeFile = z.strictObject({
  name: text,
  services: z.record(text, serviceEntry),
  volumes: z.record(text, z.null()),
});

const TEMPORAL_IMAGE: Stage = {
  root: '/',
  workdir: '/',
  // For the health check, which asks at the default port, too.
  env: { TEMPORAL_ADDRESS: 'temporal:7233' },
  entrypoint: ['temporal'],
  cmd: [],
};

/** On a shared machine another process may take one of the server's internal ports; then it is started again. */
const MOST_STARTS = 3;

export class Stack {
  readonly #services: Map<string, z.infer<typeof serviceEntry>>;
  readonly #ports: { service: string; published: string; inside: string; free: number }[] = [];
  readonly #started = new Map<string, Service>();

  constructor(
    { services }: z.infer<typeof composeFile>,
    /** The targets of the Dockerfile. */
    readonly targets: ReadonlyMap<string, Stage>,
    readonly temporalBinary: string,
    /** Holds the volumes. */
    readonly folder: string,
  ) {
    this.#services = new Map(Object.entries(services));
  }

  /** Returns when every service has started, each after those it depends on. */
  async up(): Promise<void> {
    for (const [service, { ports, volumes }] of this.#services) {
      for (const [, published = '', inside = ''] of ports)
        this.#ports.push({ service, published, inside, free: await freePort() });
      for (const [volume = ''] of volumes) await mkdir(path.join(this.folder, volume), { recursive: true });
    }
    // In reverse order of the file, so that a missing depends_on shows.
    for (const name of [...this.#services.keys()].reverse()) await this.#start(name);
  }

  /** The address on this machine of a port that the file publishes at 127.0.0.1. */
  address(published: string): string {
    const port = this.#ports.find((port) => port.published === published);
    if (!port) throw new Error(`nothing is published at ${published}`);
    return `127.0.0.1:${port.free}`;
  }

  /** Gives the result of the work, unless a service fails first. */
  async whileUp<T>(work: Promise<T>): Promise<T> {
    const failures = [...this.#started].map(async ([name, service]) => {
      // A service that has completed does not end the wait.
      if (await service.untilSucceeded()) return work;
      throw new Error(`${name} ${await service.exitReport()}`);
    });
    return Promise.race([work, ...failures]);
  }

  /** Stops all services, the last started first, and gives the exit codes. */
  async down(): Promise<Record<string, unknown>> {
    const codes: Record<string, unknown> = {};
    for (const [name, service] of [...this.#started].reverse()) codes[name] = await service.stop();
    return codes;
  }

  async #start(name: string): Promise<Service> {
    const running = this.#started.get(name);
    if (running) return running;
    const service = this.#services.get(name);
    if (!service) throw new Error(`there is no service ${name}`);
    for (const [other, { condition }] of Object.entries(service.depends_on)) {
      const dependency = await this.#start(other);
      const isMet = condition === 'service_healthy' ? dependency.untilHealthy() : dependency.untilSucceeded();
      if (!(await isMet)) throw new Error(`${other} ${await dependency.exitReport()}`);
    }
    const image = service.build ? this.targets.get(service.build.target) : TEMPORAL_IMAGE;
    if (!image) throw new Error(`the Dockerfile has no target for ${name}`);
    const flags = service.image ? ['--port', '7233', '--ui-port', '8233'] : [];
    const local = (word: string): string => this.#local(word, name);
    const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: this.folder };
    for (const [setting, value] of Object.entries({ ...image.env, ...service.environment }))
      env[setting] = local(value);
    const command = [...image.entrypoint, ...(service.command ?? image.cmd), ...flags].map(local);
    const check = service.healthcheck?.test.slice(1).map(local) ?? [];
    for (let starts = 1; ; starts += 1) {
      const started = new Service(command, { cwd: path.join(image.root, image.workdir), env }, check);
      this.#started.set(name, started);
      if (!service.image || starts === MOST_STARTS || (await started.untilHealthy())) return started;
    }
  }

  #local(word: string, name: string): string {
    if (word === 'temporal') return this.temporalBinary;
    let local = word.replaceAll('0.0.0.0', '127.0.0.1');
    for (const { service, inside, free } of this.#ports) {
      local = local.replaceAll(`${service}:${inside}`, `127.0.0.1:${free}`);
      // A health check names its own port with loopback, a flag names it alone.
      if (service === name) local = local.replace(new RegExp(`(^|127.0.0.1:)${inside}\\b`), `$1${free}`);
    }
    for (const [volume = '', at = ''] of this.#services.get(name)?.volumes ?? [])
      local = local.replaceAll(`${at}/`, `${path.join(this.folder, volume)}/`);
    return local;
  }
}
