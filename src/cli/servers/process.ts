/** The ports that a server needs, and the signals that stop it. */
import { isPortFree } from '../../temporal/ports';
import { UnreachableError } from '../lib/io';

export const DEV_PORTS = { temporal: 7233, ui: 8233, sandbox: 4010 };

export async function requireFreePorts(ports: Record<string, number>): Promise<void> {
  const taken: string[] = [];
  for (const [flag, port] of Object.entries(ports)) {
    if (port !== 0 && !(await isPortFree(port)))
      taken.push(`port ${port} is taken; choose another with ${flag}`);
  }
  if (taken.length > 0) throw new UnreachableError(taken.join('\n'));
}

/**
 * Resolves at the first Ctrl-C or SIGTERM; a second one ends the process at once. Called when everything runs: before
 * that a signal ends the process, and what it started ends with it.
 */
export function untilAskedToStop(onImpatience: () => void = () => undefined): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (): void => {
      if (asked) {
        onImpatience();
        process.exit(130);
      }
      asked = true;
      resolve();
    };
    process.on('SIGINT', ask).on('SIGTERM', ask);
  });
}
