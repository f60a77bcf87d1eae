import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Who may import whom (one tag per project): the house's walls. `testing` may be imported by tests only. */
const layers = {
  contracts: [],
  client: ['contracts'],
  translate: ['contracts'],
  kit: ['contracts'],
  provider: ['kit', 'contracts'],
  core: ['kit', 'translate', 'contracts'],
  store: ['core', 'contracts'],
  twin: ['contracts'],
  testing: ['contracts', 'client', 'translate', 'kit', 'provider', 'core', 'store', 'twin', 'testing', 'app'],
  console: ['contracts'],
  app: ['contracts', 'client', 'translate', 'kit', 'provider', 'core', 'store', 'twin'],
};
const everything = [...Object.keys(layers), 'spec'];

const constraints = (forTests) =>
  Object.entries(layers).map(([tag, allowed]) => ({
    sourceTag: `type:${tag}`,
    onlyDependOnLibsWithTags: (forTests ? everything : [...allowed, tag]).map((name) => `type:${name}`),
  }));

const boundaries = (forTests) => [
  'error',
  {
    // The gateway loads the twin only where somebody asks it; its tests always do. `testing` loads both when one is started, and what looks at
    // their replies with them. Both tools that pack things are tried in the same sandbox.
    allow: forTests ? ['@model-gateway/vendor-twin', '@model-gateway/gateway', '../publishing/sandbox.ts'] : [],
    enforceBuildableLibDependency: false,
    allowCircularSelfDependency: false,
    banTransitiveDependencies: false,
    // Tests of the gateway use `testing`, which runs whole gateways.
    ignoredCircularDependencies: [['gateway', 'testing']],
    depConstraints: constraints(forTests),
  },
];

const oneDoor = 'Only libs/provider-kit/src/upstream.ts and media-url.ts talk to the network; use Upstream.';
const onePathTable =
  'Paths stand in spec/ (x-gateway): take OPERATIONS of @model-gateway/contracts, or the context of the matched operation.';
const ownPath = '/^\\u002f(v1|v1beta|admin|files|docs|healthz|readyz|metrics|openapi\\.json)($|[\\u002f?\\s])/';
const ownPattern = '/^\\^?\\(?(\\?:)?\\\\?\\u002f\\(?(\\?:)?(v1|v1beta|admin|files)\\b/';
const publicMeans =
  'Private members of libraries, hidden symbols and prototypes are debts: use what the library documents, or keep the trick with its measured gain beside it.';
const privateMembers = [
  'MemberExpression[computed=false][property.name=/^_/]',
  'ObjectPattern > Property[key.name=/^_[a-zA-Z]/]',
  'CallExpression[callee.property.name=/^(getOwnPropertySymbols|setPrototypeOf)$/]',
].map((selector) => ({ selector, message: publicMeans }));
const oneClock = 'Take `now: () => number` as a parameter; only the owner of the clock reads it.';

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/.nx/**',
      '**/node_modules/**',
      'libs/contracts/src/generated/**',
      '**/*.mjs',
      '**/*.cjs',
      '**/*.js',
      '**/data/**',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(false),
      '@typescript-eslint/strict-boolean-expressions': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { ignoreRestSiblings: true, argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'max-params': ['error', 5],
      'no-restricted-syntax': ['error', ...privateMembers],
      'no-restricted-globals': ['error', { name: 'fetch', message: oneDoor }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only apps/gateway/src/config reads the environment.' },
        { object: 'Date', property: 'now', message: oneClock },
      ],
    },
  },
  {
    // Which operation an address stands for is told in http/route-table.ts alone.
    files: ['apps/gateway/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...privateMembers,
        { selector: `Literal[value=${ownPath}]`, message: onePathTable },
        { selector: `TemplateElement[value.raw=${ownPath}]`, message: onePathTable },
        { selector: `Literal[regex.pattern=${ownPattern}]`, message: onePathTable },
      ],
    },
  },
  {
    // What core knows of a chat format it asks of its ChatDialect.
    files: ['libs/core/src/**/*.ts'],
    // The other is the streams that two tests feed in, as vendors write them.
    ignores: ['**/*.test.ts', 'libs/core/src/guardrails/testing/streams.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...privateMembers,
        {
          selector:
            'Literal[value=/^(openai-(chat|responses)|anthropic-messages|gemini-generate)$/], TemplateElement[value.raw=/openai-(chat|responses)|anthropic-messages|gemini-generate/]',
          message: 'What a chat format does differently is a member of ChatDialect, in libs/translate/src/<dialect>/.',
        },
      ],
    },
  },
  {
    // The client is the product that runs in browsers: fetch is its door.
    files: ['libs/client/src/**/*.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
  },
  {
    // The console runs in browsers too; what React and Mantine ask for is no fault.
    files: ['apps/console/src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    // A longer one tests more than one thing: split it into files named for what they test.
    files: ['**/*.test.ts'],
    rules: { 'max-lines': ['error', { max: 500, skipBlankLines: false, skipComments: false }] },
  },
  {
    files: [
      '**/*.test.ts',
      'libs/testing/src/**/*.ts',
      'apps/{console,gateway}/test/**/*.ts',
      'tools/packing/running.ts',
      'tools/testing/setup.ts',
    ],
    rules: {
      '@nx/enforce-module-boundaries': boundaries(true),
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'max-params': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-deprecated': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
