/** Input errors of commands, checked without a Temporal server. */
import { segue } from '../servers/segueCommand';

const NOBODY = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

/** One message, with exit 2: its headline, then every problem. */
export async function expectRefused(args: string[], lines: (string | RegExp)[]): Promise<void> {
  const { code, stdout, stderr } = await segue(args, NOBODY);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  const told: unknown[] = stderr.split('\n').map((line) => line.trim());
  const like = (line: string | RegExp): unknown =>
    typeof line === 'string' ? line : expect.stringMatching(line);
  expect(told).toEqual(lines.map(like));
}
