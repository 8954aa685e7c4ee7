import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** When a workflow task has a local activity, a query and a signal, a replay may handle them in another order. */
const noLocalActivities = {
  name: '@temporalio/workflow',
  importNames: ['proxyLocalActivities', 'scheduleLocalActivity'],
  message: 'A history with local activities may not replay: use an ordinary activity.',
};

/** Code that runs when a module is loaded: not in a function, and not a field of an object. */
const atLoad = ':not(:function *, PropertyDefinition[static=false] *)';
const READ_ONLY = '[id.typeAnnotation.typeAnnotation.typeName.name=/^Readonly(Map|Set)$/]';

/** All runs of a worker share the modules of the bundle, so a module must not keep the state of a run. */
const sharedState = [
  `VariableDeclaration[kind=/let|var/]${atLoad}`,
  'PropertyDefinition[static=true][readonly=false]',
  `NewExpression[callee.name!='RegExp']${atLoad}:not(VariableDeclarator${READ_ONLY} > *)`,
  `NewExpression[callee.name='RegExp'][arguments.1.value=/[gy]/]${atLoad}`,
  `Literal[regex.flags=/[gy]/]${atLoad}`,
  `ArrayExpression[elements.length=0]${atLoad}`,
  `ObjectExpression[properties.length=0]${atLoad}`,
  // Each call makes the next pause longer.
  `CallExpression[callee.name='newBackoff']${atLoad}`,
].map((selector) => ({
  selector,
  message: 'Workflow runs share this module: keep state in an object of the run.',
}));

/** Which folders of src/ a folder may import, types included. There is no cycle. */
const MAY_IMPORT = {
  platform: [],
  api: ['platform'],
  contract: ['api'],
  validation: ['contract', 'api'],
  calendar: ['contract', 'api'],
  config: ['platform', 'api', 'contract'],
  temporal: ['platform', 'config', 'contract'],
  runs: ['contract', 'api', 'validation', 'platform', 'calendar', 'config'],
  workflows: ['contract', 'validation', 'api'],
  activities: ['runs', 'api', 'validation', 'calendar', 'contract', 'platform', 'config'],
  client: ['runs', 'api', 'validation', 'calendar', 'contract', 'platform', 'config', 'temporal'],
};

/** Imports of src/<other folder>, however many folders up that is, and of the sandbox, which only development has. */
function folderRule(folder) {
  const forbidden = [...Object.keys(MAY_IMPORT), 'cli', 'worker']
    .filter((other) => other !== folder && !MAY_IMPORT[folder].includes(other))
    .join('|');
  return {
    regex: `^((\\.\\./)+(${forbidden})(/|$)|@segue/)`,
    message: `src/${folder} may import only ${MAY_IMPORT[folder].join(', ') || 'packages'}: see MAY_IMPORT.`,
  };
}

const bundleRule = {
  regex:
    '^(?!\\.|nexus-rpc$|@temporalio/(workflow$|common/lib/search-attributes$))|/api/(?!(json|endings|scope)$)|/errors$',
  allowTypeImports: true,
  message: 'Workflow code is deterministic: do this in an activity.',
};

/** No cycle between src/workflows/lib and the rest of src/workflows. */
const libRule = {
  regex: '^\\.\\./(?!\\.\\./)',
  message: 'src/workflows/lib imports nothing else of src/workflows.',
};

/** What ends up in the workflow bundle, by folder of src/, and rules that only these files have. */
const BUNDLED = [
  ['workflows', 'src/workflows/**/*.ts'],
  ['workflows', 'src/workflows/lib/**/*.ts', libRule],
  ['contract', 'src/contract/**/*.ts'],
  ['validation', 'src/validation/**/*.ts'],
  ['api', 'src/api/{json,endings,scope}.ts'],
];

export default defineConfig(
  { ignores: ['**/dist/', 'node_modules/', '.segue/', '*.mjs', '**/*.js'] },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  prettier,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // `const { a, ...rest } = object` leaves a member out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
    },
  },
  {
    files: ['src/**/*.ts', 'sandbox/src/**/*.ts'],
    ignores: ['src/config/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config reads the environment.' },
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
  ...Object.keys(MAY_IMPORT).map((folder) => ({
    files: [`src/${folder}/**/*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [folderRule(folder)] }] },
  })),
  ...BUNDLED.map(([folder, files, ...more]) => ({
    files: [files],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [noLocalActivities], patterns: [folderRule(folder), bundleRule, ...more] },
      ],
      'no-restricted-syntax': [
        'error',
        'ImportExpression',
        "CallExpression[callee.name='require']",
        ...sharedState,
      ],
    },
  })),
);
