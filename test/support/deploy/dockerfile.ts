/**
 * Builds the stages of a Dockerfile without docker, each into a folder: the folder has only what COPY and RUN put there.
 *
 * Three things differ from a real build: the base image is this machine, with its Node and its npm cache; absolute paths
 * lie below the stage's folder; what needs root (`apt-get`, `chown`, USER) is left out. A line of any other form than
 * those below is an error.
 */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { runToEnd } from '@segue/devserver';

export interface Stage {
  /** The folder that is used as `/`. */
  root: string;
  workdir: string;
  env: Record<string, string>;
  entrypoint: string[];
  cmd: string[];
}

const NEEDS_ROOT = /^(apt-get (update|install .*)|rm -rf \/var\/lib\/apt\/lists\/\*|chown \S+ \/\S+)$/;

/** Gives the stages by name. */
export async function buildStages(context: string, folder: string): Promise<Map<string, Stage>> {
  const sent = path.join(folder, 'context');
  await sendContext(context, sent);
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  const lines = (await readFile(path.join(context, 'Dockerfile'), 'utf8')).split('\n');
  for (const line of lines.filter((line) => !/^(#.*)?$/.test(line))) {
    const [, base, name] = /^FROM (\S+) AS (\w+)$/.exec(line) ?? [];
    if (base !== undefined && name !== undefined) {
      stage = await startStage(path.join(folder, name), stages.get(base) ?? base);
      stages.set(name, stage);
    } else {
      if (!stage) throw new Error(`no FROM … AS … before: ${line}`);
      await carryOut(line, stage, (from) => (from === undefined ? sent : stages.get(from)?.root));
    }
  }
  return stages;
}

/** The files that `docker build` sends: all except those in .dockerignore. */
async function sendContext(context: string, to: string): Promise<void> {
  const ignored = (await readFile(path.join(context, '.dockerignore'), 'utf8')).trim().split('\n');
  for (const name of ignored) match(/^[\w.-]+$/, name);
  const sent = (await readdir(context)).filter((name) => !ignored.includes(name));
  await mkdir(to);
  await run('cp', ['-a', ...sent.map((name) => path.join(context, name)), to]);
}

async function startStage(root: string, base: Stage | string): Promise<Stage> {
  if (typeof base === 'string') {
    match(/^node:\d+-/, base);
    await mkdir(root);
    return { root, workdir: '/', env: {}, entrypoint: [], cmd: [] };
  }
  await run('cp', ['-a', base.root, root]);
  return { ...base, env: { ...base.env }, root };
}

async function carryOut(line: string, stage: Stage, rootOf: (stage?: string) => string | undefined) {
  const [, instruction = '', rest = ''] = match(/^([A-Z]+) (.+)$/, line);
  switch (instruction) {
    case 'WORKDIR':
      stage.workdir = match(/^\/.+$/, rest)[0];
      await mkdir(path.join(stage.root, stage.workdir), { recursive: true });
      return;
    case 'ENV':
      for (const pair of rest.split(' ')) {
        const [, name = '', value = ''] = match(/^(\w+)=([^"'$]+)$/, pair);
        stage.env[name] = value;
      }
      return;
    case 'COPY': {
      const [, from, sources = '', to = ''] = match(/^(?:--from=(\w+) )?([\w./][\w./ -]*) (\S+)$/, rest);
      const root = rootOf(from);
      if (root === undefined) throw new Error(`no such stage: ${line}`);
      for (const source of sources.split(' ')) await copy(path.join(root, source), stage, to);
      return;
    }
    case 'RUN':
      for (const command of rest.split(' && ')) await runCommand(command, stage);
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(rest) as string[];
      stage.cmd = [];
      return;
    case 'CMD':
      stage.cmd = JSON.parse(rest) as string[];
      return;
    default:
      match(/^USER node$/, line);
  }
}

/** Copies the content of a folder; copies a file into the target if the target ends with a slash. */
async function copy(source: string, { root, workdir }: Stage, to: string): Promise<void> {
  const target = path.join(root, path.resolve(workdir, to));
  const isFolder = (await stat(source)).isDirectory();
  await mkdir(isFolder || to.endsWith('/') ? target : path.dirname(target), { recursive: true });
  // Hard links are quick. Source and target are on one file system, and no later step changes a copied file.
  await run('cp', ['-al', isFolder ? `${source}/.` : source, target]);
}

async function runCommand(command: string, { root, workdir, env }: Stage): Promise<void> {
  if (NEEDS_ROOT.test(command)) return;
  const [, folder, args = ''] = match(/^(?:mkdir (\/\S+)|npm ([\w =./-]+))$/, command);
  if (folder !== undefined) await mkdir(path.join(root, folder));
  else {
    const offline = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
    await run('npm', args.split(' '), path.join(root, workdir), { ...process.env, ...offline, ...env });
  }
}

function match(form: RegExp, text: string): RegExpExecArray {
  const found = form.exec(text);
  if (!found) throw new Error(`unknown form: ${text}`);
  return found;
}

async function run(command: string, args: string[], cwd?: string, env = process.env): Promise<void> {
  const { code, tail } = await runToEnd(command, args, { cwd, env });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${tail.join('\n')}`);
}
