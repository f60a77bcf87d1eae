// What oxlint (.oxlintrc.json, where all other rules are) does not have: who may import whom, and patterns of syntax.
import nx from '@nx/eslint-plugin';
import { parser } from 'typescript-eslint';

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

export default [
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
    plugins: { '@nx': nx },
    languageOptions: { parser },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(false),
      'no-restricted-syntax': ['error', ...privateMembers],
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
    files: [
      '**/*.test.ts',
      'libs/testing/src/**/*.ts',
      'apps/{console,gateway}/test/**/*.ts',
      'tools/packing/running.ts',
      'tools/testing/setup.ts',
    ],
    rules: { '@nx/enforce-module-boundaries': boundaries(true) },
  },
];
