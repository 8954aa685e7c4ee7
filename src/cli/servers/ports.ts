import { InvalidArgumentError } from 'commander';
import { isPortFree } from '../../temporal/ports';
import { UnreachableError } from '../lib/exit';

/** Default ports of what `dev` and `demo` start. */
export const DEV_PORTS = { temporal: 7233, ui: 8233, sandbox: 4010 };

export function portFlag(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It is a number from 0 to 65535.');
  return port;
}

/** Refuses to start anything when one of the ports is taken, naming all that are. */
export async function requireFreePorts(ports: { flag: string; port: number }[]): Promise<void> {
  const taken: string[] = [];
  for (const { flag, port } of ports) {
    if (port !== 0 && !(await isPortFree(port)))
      taken.push(`port ${port} is taken; choose another with ${flag}`);
  }
  if (taken.length > 0) throw new UnreachableError(taken.join('\n'));
}
