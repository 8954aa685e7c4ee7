/** Lets node run TypeScript files, for scripts that are not tests: `node -r ./test/support/typescript.js FILE`. */
const { readFileSync } = require('node:fs');
const { _extensions } = require('node:module');
const { transformSync } = require('@swc/core');

_extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};
