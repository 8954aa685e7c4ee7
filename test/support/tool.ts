/** A program that some tests use and that not every machine has. */
export type Tool = { path: string } | { missing: string };

/** The tests that use it; skipped where it is missing, with the reason in the name of what is skipped. */
export function describeWith(tool: Tool, name: string, tests: (path: string) => void): void {
  if ('path' in tool) {
    describe(name, () => {
      tests(tool.path);
    });
    return;
  }
  test.skip(`${name} (skipped: ${tool.missing})`, () => undefined);
}
