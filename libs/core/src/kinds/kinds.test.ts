/** The registry of kinds has what the document names, and nothing else. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { OPERATIONS, type OperationFacts } from '@model-gateway/contracts';
import { KINDS, MODEL_KINDS } from './index.ts';

interface Document {
  readonly components: { readonly schemas: { readonly ModelKind: { readonly enum: readonly string[] } } };
}
const DOCUMENT = fileURLToPath(import.meta.resolve('@model-gateway/contracts/openapi.json'));

it('every kind that an operation asks for has its module, and every module is asked for', () => {
  const asked = (Object.values(OPERATIONS) as OperationFacts[]).flatMap(({ kind }) => kind ?? []);
  expect(KINDS.map(({ name }) => name).sort()).toEqual([...new Set(asked)].sort());
});

it('every kind of row that the document has belongs to one module', () => {
  const { components } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
  expect([...MODEL_KINDS].sort()).toEqual([...components.schemas.ModelKind.enum].sort());
});
