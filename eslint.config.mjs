import { builtinModules } from 'node:module';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const nodeBuiltins = builtinModules.flatMap((name) => [name, `node:${name}`]);

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', '.segue/', '*.mjs', '**/*.js'] },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  prettier,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config.ts reads the environment.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // jest's asymmetric matchers are `any`.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    // What workflow code imports ends up in the deterministic bundle.
    files: ['src/workflows/**/*.ts', 'src/contract.ts', 'src/ids.ts', 'src/durations.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [...nodeBuiltins, 'undici'].map((name) => ({
            name,
            message: 'Workflow code is deterministic: do this in an activity.',
          })),
          patterns: [
            {
              regex: '^zod',
              message: 'Validate at the client or in an activity; zod stays out of the bundle.',
            },
            {
              regex: '(^|/)(api|cli|sandbox|temporal|config|worker|client)(/|$)',
              allowTypeImports: true,
              message: 'Workflows know the contract only; import types if you must.',
            },
          ],
        },
      ],
    },
  },
);
