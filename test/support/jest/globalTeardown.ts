import { rm } from 'node:fs/promises';
import './globalSetup';

export default async function globalTeardown(): Promise<void> {
  const running = globalThis.segueTestServers;
  if (!running) return;
  await Promise.all(running.devServers.map((server) => server.stop()));
  await rm(running.scratch, { recursive: true, force: true });
}
