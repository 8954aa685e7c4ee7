import { builtinModules } from 'node:module';
import { readFileSync } from 'node:fs';
import { shared } from '../../support/jest/shared';

/** The modules that a webpack bundle holds, by the names in it. */
function modulesIn(bundle: string): string[] {
  return [...bundle.matchAll(/^\/\*{3}\/ "([^"]+)"/gm)].map(([, name]) => name ?? '');
}

test('the workflow bundle holds the workflows and the SDK, no zod, no undici, no Node builtins', () => {
  const modules = modulesIn(readFileSync(shared().bundlePath, 'utf8'));
  expect(modules.some((name) => name.endsWith('src/workflows/media.ts'))).toBe(true);
  const ours = modules.filter((name) => name.includes('/src/') && !name.includes('node_modules'));
  const allowed = /src\/((workflows|contract|validation)\/(\w+\/)*\w+|api\/(endings|json|scope))\.ts/;
  expect(ours.filter((name) => !allowed.test(name))).toEqual([]);
  expect(modules.filter((name) => /node_modules\/(zod|undici)\//.test(name))).toEqual([]);
  const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
  // The SDK brings stand-ins of its own for some; nothing else may be there.
  expect(modules.filter((name) => builtins.has(name) && !name.startsWith('__temporal'))).toEqual([]);
});
