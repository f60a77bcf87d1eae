import { fileURLToPath } from 'node:url';

/** One configuration for every project; a project's tests run with `tools/jest <project folder>`. */
export default {
  testEnvironment: 'node',
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/', '/.nx/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  globalTeardown: fileURLToPath(new URL('tools/jest-leaks.mjs', import.meta.url)),
  moduleNameMapper: {
    '^\\./openapi\\.schema\\.validator$': fileURLToPath(new URL('tools/jest-no-meta-schema.cjs', import.meta.url)),
  },
  // A machine that does other things takes its time: nothing is to fail for that.
  testTimeout: 120_000,
  maxWorkers: 1,
};
