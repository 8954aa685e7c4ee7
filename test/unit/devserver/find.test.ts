import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import {
  answers,
  findTemporalBinary,
  freePort,
  NoTemporalError,
  TEMPORAL_CLI_VERSION,
  underLock,
} from '@segue/devserver';
import { type LocalTemporalConfig } from '../../../src/config';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { POM, TEST_SERVER_VERSION } from '../../support/servers/testServer';

let folder: string;
let said: string[];
const say = (line: string): void => void said.push(line);

beforeEach(async () => {
  folder = await mkdtemp(path.join(shared().scratch, 'find-'));
  said = [];
});

/** A stand-in that only tells a version, as the first thing that is asked of a found binary. */
async function fakeBinary(file: string, server: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\necho "temporal version 1.0.0 (Server ${server}, UI 2.0.0)"\n`);
  await chmod(file, 0o755);
  return file;
}

function config(overrides: Partial<LocalTemporalConfig> = {}): LocalTemporalConfig {
  return {
    searchPath: path.join(folder, 'bin'),
    cacheFolder: path.join(folder, 'cache'),
    proxy: {},
    ...overrides,
  };
}

const cachedAt = (): string => path.join(folder, 'cache', `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal');

describe('finding a Temporal server', () => {
  test('first SEGUE_TEMPORAL_CLI, the PATH, and the cache, saying which it took', async () => {
    const named = await fakeBinary(path.join(folder, 'named'), '1.30.1');
    const onPath = await fakeBinary(path.join(folder, 'bin', 'temporal'), '1.29.0');
    const cached = await fakeBinary(cachedAt(), '1.31.2');
    expect(await findTemporalBinary(config({ cli: named }), say)).toMatchObject({
      path: named,
      serverVersion: '1.30.1',
    });
    expect(await findTemporalBinary(config(), say)).toMatchObject({ path: onPath });
    expect(await findTemporalBinary(config({ searchPath: '' }), say)).toMatchObject({ path: cached });
    expect(said).toEqual([
      `Temporal: server 1.30.1, named by SEGUE_TEMPORAL_CLI (${named})`,
      `Temporal: server 1.29.0, found on the PATH (${onPath})`,
      `Temporal: server 1.31.2, cached earlier (${cached})`,
    ]);
  });

  test('a server that is too old is passed over on the PATH, and refused when it was named', async () => {
    const old = await fakeBinary(path.join(folder, 'bin', 'temporal'), '1.28.9');
    await fakeBinary(cachedAt(), '1.31.2');
    expect(await findTemporalBinary(config(), say)).toMatchObject({ path: cachedAt() });
    expect(said.join()).toContain(`not taken: ${old} holds server 1.28.9; Segue needs 1.29 or newer`);
    await expect(findTemporalBinary(config({ cli: old }), say)).rejects.toThrow('1.28.9');
    await expect(findTemporalBinary(config({ cli: path.join(folder, 'none') }), say)).rejects.toThrow(
      'cannot be run',
    );
  });

  test('the real binary of this run tells its version', async () => {
    const found = await findTemporalBinary(config({ cli: shared().temporalBinary }), say);
    expect(found.serverVersion).toMatch(/^1\.\d+\.\d+$/);
  });

  test('a site that refuses or hangs does not answer', async () => {
    expect(await answers(`https://127.0.0.1:${await freePort()}/`, {})).toBe(false);
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    expect(await answers(`https://127.0.0.1:${port}/`, {}, 200)).toBe(false);
    silent.close();
  });

  test('work under a lock is done by one at a time', async () => {
    let waited = 0;
    const onWait = (): void => {
      waited += 1;
    };
    let running = 0;
    let most = 0;
    const order: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      most = Math.max(most, ++running);
      order.push(name);
      // The first holds on until the others have come and found it taken.
      if (order.length === 1) await eventually('the others', () => waited === 2);
      await writeFile(path.join(folder, 'lock', name), '');
      running -= 1;
    };
    await Promise.all(
      ['a', 'b', 'c'].map((name) => underLock(path.join(folder, 'lock'), onWait, work(name))),
    );
    expect(most).toBe(1);
    expect(waited).toBe(2);
    expect(order.sort()).toEqual(['a', 'b', 'c']);
  });

  describe('where nothing is there and nothing can be downloaded', () => {
    const path0 = process.env.PATH;

    afterEach(() => {
      process.env.PATH = path0;
    });

    /** Puts a stand-in for go on the PATH, which counts its builds. */
    async function fakeGo(script: string): Promise<LocalTemporalConfig> {
      const bin = path.join(folder, 'gobin');
      await mkdir(bin, { recursive: true });
      await writeFile(path.join(bin, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      process.env.PATH = `${bin}${path.delimiter}/usr/bin${path.delimiter}/bin`;
      return config({ searchPath: '', proxy: { https: `http://127.0.0.1:${await freePort()}` } });
    }

    const BUILDS = `
while [ $# -gt 0 ]; do if [ "$1" = -o ]; then out=$2; fi; shift; done
echo built >> "$(dirname "$out")/builds"
sleep 0.3
printf '#!/bin/sh\\necho "temporal version 1.0.0 (Server 1.31.2, UI 2.0.0)"\\n' > "$out"
chmod +x "$out"`;

    test('it is built once, however many ask for it', async () => {
      const settings = await fakeGo(BUILDS);
      const found = await Promise.all([1, 2, 3].map(() => findTemporalBinary(settings, say)));
      expect(found.map(({ path: file }) => file)).toEqual([cachedAt(), cachedAt(), cachedAt()]);
      expect(await readFile(path.join(path.dirname(cachedAt()), 'builds'), 'utf8')).toBe('built\n');
      expect(said.join('\n')).toContain('building the Temporal server from its Go modules');
      expect((await readdir(path.dirname(cachedAt()))).sort()).toEqual(['builds', 'temporal']);
    });

    test('a build that fails says what was tried and what to install, and leaves nothing that looks like a binary', async () => {
      const settings = await fakeGo('echo "go: no such module"; exit 1');
      const error: unknown = await findTemporalBinary(settings, say).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(NoTemporalError);
      for (const words of ['no such module', 'temporal.download', 'https://go.dev/dl', 'TEMPORAL_ADDRESS']) {
        expect((error as Error).message).toContain(words);
      }
      expect(await readdir(path.dirname(cachedAt()))).toEqual([]);
    });

    test('no go at all is told in the same words', async () => {
      const settings = await fakeGo('exit 0');
      process.env.PATH = path.join(folder, 'empty');
      await expect(findTemporalBinary(settings, say)).rejects.toThrow('there is no `go` on the PATH');
    });
  });

  test('the versions are those that the committed module and pom pin', async () => {
    const root = path.resolve(__dirname, '../../../devserver');
    const goMod = await readFile(path.join(root, 'server', 'go.mod'), 'utf8');
    expect(goMod).toContain(`github.com/temporalio/cli v${TEMPORAL_CLI_VERSION}`);
    expect(await readFile(POM, 'utf8')).toContain(`<version>${TEST_SERVER_VERSION}<`);
  });
});
