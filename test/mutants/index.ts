/**
 * Breaks one line at a time in a copy of the checkout and checks that the named test fails. The copy has no build, so
 * that test must not start `bin/segue`. Each file of mutants is named after the promise that they break.
 * `npm run mutants -- guards` takes those whose name or file matches.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from '@swc/core';

interface Mutant {
  name: string;
  /** Named after the file that lists it. */
  promise: string;
  file: string;
  find: string;
  replace: string;
  test: string;
  testNamePattern?: string;
}

interface Result {
  file: string;
  fullName: string;
  status: string;
  failureMessages: string[];
}

interface JestRun {
  results: Result[];
  problem?: string;
  output: string;
}

const ROOT = path.resolve(__dirname, '../..');
const NOT_COPIED = ['.git', 'dist', 'node_modules', 'sandbox/dist'];
/** All files of one run share the processors. */
const longestRunMs = (files: number) => 300_000 + 60_000 * files;

const copy = fs.mkdtempSync(path.join(tmpdir(), 'segue-mutants-'));
process.on('exit', () => {
  fs.rmSync(copy, { recursive: true, force: true });
});
process.on('SIGINT', () => process.exit(130));

const mutants = readMutants(process.argv[2] ?? '');
if (mutants.length === 0) stop('no mutant matches');
// All at once, because the run takes long.
const stale = mutants.flatMap((mutant) => {
  const problem = problemOf(mutant);
  return problem === undefined ? [] : [lineOf(problem, mutant)];
});
if (stale.length > 0) stop(stale.join('\n'));
say(`${mutants.length} mutants; first, the named tests run without one`);
fs.cpSync(ROOT, copy, {
  recursive: true,
  filter: (file) => !NOT_COPIED.includes(path.relative(ROOT, file)),
});
fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));

const passed = runUnmutated();
let failures = 0;
for (const mutant of mutants) {
  const began = Date.now();
  const verdict = judge(mutant);
  if (verdict !== 'killed') failures += 1;
  const seconds = Math.round((Date.now() - began) / 1_000);
  say(`${lineOf(verdict, mutant)}, ${seconds} s`);
}
say(`${mutants.length - failures} killed, ${failures} not`);
process.exitCode = failures > 0 ? 1 : 0;

function readMutants(wanted: string): Mutant[] {
  const pattern = new RegExp(wanted, 'i');
  return fs
    .readdirSync(__dirname)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const promise = path.basename(file, '.json').toUpperCase();
      const listed = JSON.parse(fs.readFileSync(path.join(__dirname, file), 'utf8')) as Mutant[];
      return listed.map((mutant) => ({ ...mutant, promise }));
    })
    .filter(({ name, file }) => pattern.test(name) || pattern.test(file));
}

/** Runs every named test without a mutant: a test that fails already cannot show that a mutant is noticed. Gives the tests that passed. */
function runUnmutated(): Result[] {
  return [true, false].flatMap((isUnit) => {
    const here = mutants.filter(({ test }) => isUnitTest(test) === isUnit);
    if (here.length === 0) return [];
    const tests = [...new Set(here.map(({ test }) => test))];
    // One that names no test has all of these files run whole, which unit tests are quick enough for.
    const pattern = here.map(({ testNamePattern = '' }) => `(${testNamePattern})`).join('|');
    const { results, problem, output } = runJest(tests, pattern);
    // The joined pattern also runs tests in these files that only a mutant of another file names.
    const named = results.filter((result) => here.some((mutant) => isNamedBy(mutant, result)));
    const failed = named.filter(({ status }) => status === 'failed');
    if (problem === undefined && failed.length === 0)
      return named.filter(({ status }) => status === 'passed');
    say(output);
    return stop(problem ?? `${failed.length} tests fail before anything is broken`);
  });
}

function judge(mutant: Mutant): string {
  if (!passed.some((result) => isNamedBy(mutant, result))) return 'HAS NO TEST';
  const file = path.join(copy, mutant.file);
  const original = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, original.split(mutant.find).join(mutant.replace));
  try {
    const { results, problem } = runJest([mutant.test], mutant.testNamePattern);
    if (problem !== undefined) return problem;
    const failed = results.filter(({ status }) => status === 'failed');
    // Out of jest's time, a test says nothing of what it asserts; that a condition was awaited in vain (`eventually`) does.
    const isNoticed = ({ failureMessages }: Result) =>
      failureMessages.some((message) => !message.includes('Exceeded timeout'));
    if (failed.some(isNoticed)) return 'killed';
    return failed.length > 0 ? 'TIMED OUT' : 'SURVIVED';
  } finally {
    fs.writeFileSync(file, original);
  }
}

/** Why the mutant cannot be run; undefined when it can. */
function problemOf({ file, find, replace, test }: Mutant): string | undefined {
  if (!fs.existsSync(path.join(ROOT, test))) return 'HAS NO TEST';
  const source = path.join(ROOT, file);
  const parts = fs.existsSync(source) ? fs.readFileSync(source, 'utf8').split(find) : [];
  if (parts.length !== 2) return 'DOES NOT APPLY';
  try {
    transformSync(parts.join(replace), { jsc: { parser: { syntax: 'typescript' } } });
    return undefined;
  } catch {
    return 'DOES NOT COMPILE';
  }
}

function lineOf(verdict: string, { promise, name, file }: Mutant): string {
  return `${verdict.padEnd(16)}  ${promise}  ${name} (${file})`;
}

/** As jest reads the pattern. */
function isNamedBy({ test, testNamePattern: pattern = '' }: Mutant, { file, fullName }: Result): boolean {
  return file === test && new RegExp(pattern, 'i').test(fullName);
}

function runJest(tests: string[], pattern?: string): JestRun {
  const outputFile = path.join(copy, 'results.json');
  fs.rmSync(outputFile, { force: true });
  const args = ['--json', `--outputFile=${outputFile}`, '--forceExit', '--runTestsByPath', ...tests];
  if (pattern) args.push('-t', pattern);
  if (tests.every(isUnitTest)) args.push('--globalSetup', './test/mutants/unitSetup.ts');
  const options = {
    cwd: copy,
    encoding: 'utf8' as const,
    timeout: longestRunMs(tests.length),
    maxBuffer: Infinity,
  };
  const { stdout, stderr } = spawnSync('node_modules/.bin/jest', args, options);
  const output = `${stdout}${stderr}`;
  if (!fs.existsSync(outputFile)) return { results: [], problem: 'DID NOT RUN', output };
  const { testResults } = JSON.parse(fs.readFileSync(outputFile, 'utf8')) as {
    testResults: { name: string; assertionResults: Omit<Result, 'file'>[] }[];
  };
  const results = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((result) => ({ ...result, file: path.relative(fs.realpathSync(copy), name) })),
  );
  const isLoaded = testResults.every(({ assertionResults }) => assertionResults.length > 0);
  return { results, problem: isLoaded ? undefined : 'DID NOT RUN', output };
}

function isUnitTest(test: string): boolean {
  return test.startsWith('test/unit/');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function stop(problem: string): never {
  say(problem);
  process.exit(1);
}
