/** The examples for newcomers do what the documents say, one after the other. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { documentedCommands } from '../../support/documentation';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { useCommandLine } from '../../support/servers/commandLine';
import { segue } from '../../support/servers/segueCommand';
import { startOwnDevServer } from '../../support/servers/temporal';
import { SANDBOX_PLACES } from '../../support/service/records';

// The keys in the examples are those of other tests, too.
const { sandbox, settings } = useCommandLine({ openTemporal: startOwnDevServer, layout: SANDBOX_PLACES });
const folder = mkdtempSync(path.join(shared().scratch, 'readme-'));

/** `dev` runs until somebody stops it, `resolve` needs a job that is held: other tests have both. */
const NOT_HERE = ['dev', 'resolve'];

const atThisSandbox = (text: string): string => text.replaceAll('http://127.0.0.1:4010', sandbox.url);

/** The examples use the sandbox of `segue dev`, and write files where the reader is. */
function here(word: string): string {
  if (word === 'pictures') return path.join(folder, word);
  if (!word.startsWith('examples/')) return atThisSandbox(word);
  const copy = path.join(folder, path.basename(word));
  writeFileSync(copy, atThisSandbox(readFileSync(word, 'utf8')));
  return copy;
}

async function untilApprovalIsAsked(campaign: string): Promise<void> {
  await eventually('the campaign to ask for approval', async () => {
    const { stdout } = await segue(['campaign', 'status', campaign, '--json'], settings);
    return (JSON.parse(stdout) as { stage: string }).stage === 'approving';
  });
}

/** Their commands begin with `./bin/segue` where they can be typed as they are. */
const FOR_NEWCOMERS = ['README.md', 'docs/jobs.md', 'docs/campaigns.md', 'docs/schedules.md'];

test('every command of the examples for newcomers exits with 0', async () => {
  const commands = documentedCommands(/^\.\/bin\/segue /).filter(
    ({ document, words }) => FOR_NEWCOMERS.includes(document) && !NOT_HERE.includes(words[0] ?? ''),
  );
  const codes: [string, number | null][] = [];
  for (const { words } of commands) {
    if (words[1] === 'approve') await untilApprovalIsAsked(words[2] ?? '');
    const { code } = await segue(words.map(here), settings);
    codes.push([words.join(' '), code]);
  }
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter(([, code]) => code !== 0)).toEqual([]);
});
