/** Every command in the documents does what they say, one after the other, in the state that it is for. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { SANDBOX_KEY } from '../../../sandbox/src/keys';
import { cutout, newCampaign } from '../../support/builders/campaign';
import { documentedStates, NO_PICTURE } from '../../support/builders/documentedStates';
import { removeFaults } from '../../support/builders/writing';
import {
  type DocumentedCommand,
  documentedCommands,
  DOCUMENTS,
  fillIn,
  hasPlaceholder,
  isName,
} from '../../support/documentation';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { useCommandLine } from '../../support/servers/commandLine';
import { patientPosts } from '../../support/servers/patientPosts';
import { segue } from '../../support/servers/segueCommand';
import { type Settings } from '../../support/servers/segueProcess';
import { startOwnDevServer } from '../../support/servers/temporal';
import { SANDBOX_PLACES } from '../../support/service/records';

// The keys in the examples are those of other tests, too.
const line = useCommandLine({
  ...{ openTemporal: startOwnDevServer, layout: SANDBOX_PLACES, worker: patientPosts() },
});
const { sandbox, config, settings } = line;
const folder = mkdtempSync(path.join(shared().scratch, 'documents-'));
const states = documentedStates(line, folder);
const root = path.resolve(__dirname, '../../..');

/** Commands that run until they are stopped, or need another machine: the tests that run them. */
const ELSEWHERE: [RegExp, string][] = [
  [/^segue (dev|demo|temporal)\b/, 'test/all/cli/dev.test.ts'],
  [/^segue worker/, 'test/all/cli/registration.test.ts'],
  [/^segue sandbox(?! images)/, 'test/all/deploy/plugin.test.ts'],
  [/^(npx --no )?segue init/, 'test/all/deploy/package.test.ts'],
  [/^source <\(segue completion\)/, 'test/all/cli/help.test.ts'],
  [/^npm (ci|pack|install)/, 'test/all/deploy/package.test.ts'],
  [/^(npm|npx jest)/, 'test/unit/cli/documented.test.ts'],
  [/^(docker|node)/, 'test/all/deploy/compose.test.ts'],
];

const testElsewhere = ({ program, words }: DocumentedCommand): string | undefined =>
  ELSEWHERE.find(([pattern]) => pattern.test([program, ...words].join(' ')))?.[1];

test('the tests that run the other commands are there', () => {
  expect(ELSEWHERE.filter(([, file]) => !existsSync(path.join(root, file)))).toEqual([]);
});

afterEach(async () => {
  await removeFaults(sandbox.url);
});

const atThisSandbox = (text: string): string => text.replaceAll('http://127.0.0.1:4010', sandbox.url);

/** The examples use the sandbox and task queue of `segue dev`, and write files where the reader is. */
function here(word: string): string {
  if (word === 'segue') return config.taskQueue;
  if (word === 'pictures' || /^[\w-]+\.(html|json|ndjson)$/.test(word)) return path.join(folder, word);
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

/** The files that docs/client.md names. */
async function writeInputs(): Promise<void> {
  const { poll } = config;
  const spec = await newCampaign(sandbox.url, { scope: { organization: '1' } });
  const campaign = { ...spec, poll, key: 'spring', media: { cutout: cutout(sandbox.url) } };
  writeFileSync(path.join(folder, 'spring.json'), JSON.stringify(campaign));
  writeFileSync(
    path.join(folder, 'job.json'),
    JSON.stringify({ key: 'spring-1', poll, ...cutout(sandbox.url) }),
  );
}

/** What a person changes in the lines that failed. */
function corrected(lines: string): string {
  return lines.replaceAll(NO_PICTURE.image_url, `${sandbox.url}/samples/mug.png`);
}

const OF_SERVICE = {
  SEGUE_API_KEY: SANDBOX_KEY,
  SEGUE_ASSET_PATH: SANDBOX_PLACES.assetPath,
  SEGUE_RUN_PATH: SANDBOX_PLACES.runPath,
  SEGUE_VIDEO_PATH: SANDBOX_PLACES.videoPath,
};

interface Ended {
  code: unknown;
  stderr: string;
}

async function run({ program, words, output }: DocumentedCommand): Promise<Ended> {
  const typed = words.join(' ');
  const makeState = hasPlaceholder(typed) ? states.find(([pattern]) => pattern.test(typed))?.[1] : undefined;
  const values = (await makeState?.()) ?? {};
  const args = words.map((word) => here(fillIn(word, values)));
  if (typed.startsWith('campaign approve')) await untilApprovalIsAsked(args[2] ?? '');
  const env: Settings = { ...settings, ...OF_SERVICE, SEGUE_API_URL: sandbox.url };
  if (program === 'segue') {
    const ended = await segue(args, env);
    if (output !== undefined) writeFileSync(here(output), corrected(ended.stdout));
    return ended;
  }
  const binary = program === 'temporal' ? shared().temporalBinary : program;
  // Without --fail, curl ends with 0 after an answer like 400.
  const more = program === 'curl' ? ['--fail'] : [];
  return promisify(execFile)(binary, [...args, ...more], { env: { ...process.env, ...env } }).then(
    () => ({ code: 0, stderr: '' }),
    (error: unknown) => error as Ended,
  );
}

const withCommands = DOCUMENTS.filter((document) => documentedCommands(document).length > 0);

test('most documents have commands', () => {
  expect(withCommands.length).toBeGreaterThan(10);
  expect(withCommands.flatMap(documentedCommands).length).toBeGreaterThan(100);
});

/** The same text runs once, in the first document that has it. */
const ran = new Set<string>();

test.each(withCommands)('every command of %s exits with 0', async (document) => {
  if (document === 'docs/client.md') await writeInputs();
  const failed: string[] = [];
  for (const command of documentedCommands(document)) {
    if (command.program === 'export' || testElsewhere(command) !== undefined) continue;
    if (command.program === 'segue' && (await isName(command))) continue;
    if (ran.has(command.text)) continue;
    ran.add(command.text);
    const { code, stderr } = await run(command);
    if (code !== 0) failed.push(`${command.text}: ${String(code)}\n${stderr}`);
  }
  expect(failed).toEqual([]);
});
