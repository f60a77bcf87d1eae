// The rules over the whole tree at once, as npm run check runs them: one program of types instead of one for each project.
import config from './eslint.config.mjs';

export default [
  ...config,
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: {
        projectService: false,
        project: [
          'tsconfig.check.json',
          'tools/docs/tsconfig.json',
          'apps/console/tsconfig.json',
          'apps/console/test/tsconfig.json',
        ],
      },
    },
  },
];
