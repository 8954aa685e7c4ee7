/** Default ports, and the signals that stop a server. */

export const DEV_PORTS = { temporal: 7233, ui: 8233, sandbox: 4010 };

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
