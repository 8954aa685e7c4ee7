/** What the person on call may type, and what is said where it is typed wrongly. */
import { newKey } from '../../support/builders/jobs';
import { segue } from '../../support/servers/segueCommand';
import { useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();

const resolve = (...args: string[]) => segue(['resolve', ...args], { TEMPORAL_ADDRESS: temporal.address });

describe('segue resolve, typed wrongly', () => {
  test('names every problem at once, and nothing is sent', async () => {
    const nothing = await resolve();
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    for (const problem of ['which job?', 'what is decided?', '--reason:'])
      expect(nothing.stderr).toContain(problem);
    const tooMuch = await resolve(
      ...['project/1~2~3', '--where', ' ', '--adopt', 't', '--abandon', '--reason', ' ', '--hold', 'h/1'],
    );
    expect(tooMuch.code).toBe(2);
    for (const problem of [
      'which job?',
      'neither a key',
      'what is decided?',
      '--adopt:',
      '--hold:',
      '--reason:',
    ])
      expect(tooMuch.stderr).toContain(problem);
    expect(await resolve(newKey(), '--abandon', '--reason', 'x')).toMatchObject({ code: 1 });
  });

  test.each([
    [['held'], ['--limit', '--json', 'oldest first']],
    [['resolve'], ['--adopt <task>', '--resubmit', '--abandon', '--reason', '--by', '--where', '--yes']],
    [['retry'], ['KEY+2', 'one run']],
  ])('%s --help tells what it takes', async (command, words) => {
    const { code, stdout } = await segue([...command, '--help']);
    expect(code).toBe(0);
    for (const word of words) expect(stdout).toContain(word);
  });
});
