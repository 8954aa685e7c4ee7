import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Where one meets a query and a signal in one workflow task, they are replayed in another order than they came. */
const noLocalActivities = {
  name: '@temporalio/workflow',
  importNames: ['proxyLocalActivities', 'scheduleLocalActivity'],
  message: 'A history with local activities may not replay: use an ordinary one.',
};

/** What is made when a module is loaded, and not by a call or with each object of a class. */
const atLoad = ':not(:function *, PropertyDefinition[static=false] *)';
const READ_ONLY = '[id.typeAnnotation.typeAnnotation.typeName.name=/^Readonly(Map|Set)$/]';

/** All runs of a worker share the modules of the bundle: what one of them kept there, others would find. */
const sharedState = [
  `VariableDeclaration[kind=/let|var/]${atLoad}`,
  'PropertyDefinition[static=true][readonly=false]',
  `NewExpression[callee.name!='RegExp']${atLoad}:not(VariableDeclarator${READ_ONLY} > *)`,
  `NewExpression[callee.name='RegExp'][arguments.1.value=/[gy]/]${atLoad}`,
  `Literal[regex.flags=/[gy]/]${atLoad}`,
  `ArrayExpression[elements.length=0]${atLoad}`,
  `ObjectExpression[properties.length=0]${atLoad}`,
  // Each wait that it tells makes the next one longer.
  `CallExpression[callee.name='doubling']${atLoad}`,
].map((selector) => ({
  selector,
  message: 'Workflow runs share this module: keep what changes in an object of the run.',
}));

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
      // Taking members out of an object is how it is told without them.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config reads the environment.' },
      ],
    },
  },
  {
    // One mistake must not hide in both.
    files: ['src/sandbox/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '/api(/|$)', message: 'The sandbox shares no code with src/api.' }] },
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
    // What workflow code imports ends up in the deterministic bundle, so it may import only these, and only plainly.
    files: ['src/workflows/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [noLocalActivities],
          patterns: [
            {
              regex:
                '^(?!(\\./|\\.\\./contract$|\\.\\./ids$|\\.\\./durations$|\\.\\./changes$|\\.\\./rules/(inputs|batch|campaign|outlook|times)$|\\.\\./searchAttributes$|\\.\\./api/(endings|ids|pointer|scope)$|@temporalio/workflow$))',
              message: 'Workflow code is deterministic: do this in an activity.',
            },
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        'ImportExpression',
        "CallExpression[callee.name='require']",
        ...sharedState,
      ],
    },
  },
  {
    // The same, one folder deeper.
    files: ['src/workflows/*/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [noLocalActivities],
          patterns: [
            {
              regex:
                '^(?!(\\./|\\.\\./\\w+$|\\.\\./\\.\\./(contract|ids|durations|changes|searchAttributes)$|\\.\\./\\.\\./rules/(inputs|batch|campaign|outlook|times)$|\\.\\./\\.\\./api/(endings|ids|pointer|scope)$|@temporalio/workflow$))',
              message: 'Workflow code is deterministic: do this in an activity.',
            },
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        'ImportExpression',
        "CallExpression[callee.name='require']",
        ...sharedState,
      ],
    },
  },
  {
    files: [
      'src/contract/**/!(index).ts',
      'src/ids.ts',
      'src/durations.ts',
      'src/changes.ts',
      'src/rules/*.ts',
      'src/rules/campaign/!(index).ts',
      'src/searchAttributes.ts',
      'src/api/{depth,pointer,ids,endings,scope}.ts',
    ],
    rules: {
      'no-restricted-syntax': ['error', ...sharedState],
      // The rule of the plugin knows type imports; these files are part of the bundle and import nothing else.
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex:
                '^(?!((\\./|\\.\\./|\\.\\./\\.\\./)(durations|contract|ids|inputs|times)$|\\./(campaign/)?(campaign|fields|nearest|problem|references|shape)$|@temporalio/common/lib/search-attributes$|(\\./|\\.\\./|\\.\\./\\.\\./)api/(depth|endings|ids|pointer|scope)$|@temporalio/workflow$))',
              allowTypeImports: true,
              message: 'This file is part of the workflow bundle; it may import types, and nothing else.',
            },
          ],
        },
      ],
    },
  },
);
