/** A test that is skipped where there is a reason, with the reason in its name. */
export function testUnless(
  reason: string | false | undefined,
): (name: string, work: () => Promise<void>, timeout?: number) => void {
  return (name, work, timeout) => {
    if (reason) test.skip(`${name} (skipped: ${reason})`, work);
    else test(name, work, timeout);
  };
}
