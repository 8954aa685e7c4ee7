/** The dev server, where its first start meets a port that somebody else has just taken. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startDevServer } from '../../support/servers/devServer';
import { shared } from '../../support/jest/shared';

/** A server that ends so many times before it serves, and counts its starts. */
async function failing(
  name: string,
  times: number,
): Promise<{ binary: string; starts: () => Promise<number> }> {
  const binary = path.join(shared().scratch, name);
  const lines = [
    '#!/bin/sh',
    'echo >> "$0.starts"',
    `if [ "$(wc -l < "$0.starts")" -le ${times} ]; then echo "panic: address already in use" >&2; exit 2; fi`,
    `exec '${shared().temporalBinary}' "$@"`,
  ];
  await writeFile(binary, lines.join('\n'));
  await chmod(binary, 0o755);
  return { binary, starts: async () => (await readFile(`${binary}.starts`, 'utf8')).length };
}

test('a server that ends at once is started again', async () => {
  const { binary, starts } = await failing('fails-once', 1);
  const server = await startDevServer(binary, { uiPort: false });
  await server.stop();
  expect(await starts()).toBe(2);
});

test('a server that ends every time is told, with its own words', async () => {
  const { binary, starts } = await failing('fails-always', 100);
  await expect(startDevServer(binary, { uiPort: false })).rejects.toThrow(
    /did not start: it ended\npanic: address already in use/,
  );
  expect(await starts()).toBe(3);
});
