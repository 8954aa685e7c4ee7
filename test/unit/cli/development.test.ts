import { forDevelopment } from '../../../src/cli/servers';

test('a development command names the package that an installation for production lacks', async () => {
  const missing = (message: string) => forDevelopment('segue dev', () => Promise.reject(new Error(message)));
  const refusal = (name: string) =>
    `segue dev needs the package ${name}, which this installation does not have`;
  await expect(missing("Cannot find module '@segue/sandbox'\nRequire stack:")).rejects.toThrow(
    refusal('@segue/sandbox'),
  );
  await expect(missing("Cannot find package 'proper-lockfile' imported from /a.js")).rejects.toThrow(
    refusal('proper-lockfile'),
  );
  await expect(missing("Cannot find module '@segue/devserver'")).rejects.toThrow(
    'Add the packed files of @segue/sandbox and @segue/devserver (docs/client.md, Install)',
  );
  // A file of Segue itself: a broken build, and no package to install.
  await expect(missing("Cannot find module './dev.js'")).rejects.toThrow("Cannot find module './dev.js'");
  expect(await forDevelopment('segue dev', () => Promise.resolve('loaded'))).toBe('loaded');
});
