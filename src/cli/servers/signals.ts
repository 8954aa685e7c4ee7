/** Resolves at the first Ctrl-C or SIGTERM; a second one ends the process at once. */
export function untilAskedToStop(onImpatience: () => void): Promise<void> {
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

/**
 * Waits for a start that may take minutes. Asked to stop before it is done, the process ends: what it started is
 * tied to it and ends too.
 */
export async function orAbandon<T>(stopped: Promise<void>, starting: Promise<T>): Promise<T> {
  let waiting = true;
  void stopped.then(() => {
    if (waiting) process.exit(130);
  });
  return starting.finally(() => {
    waiting = false;
  });
}
