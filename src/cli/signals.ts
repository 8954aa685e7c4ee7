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
