import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPERATIONS } from './index.ts';

it('the client knows every operation of the document by its method and path, and no other', () => {
  const file = new URL(import.meta.resolve('@model-gateway/contracts/openapi.json'));
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId }]) =>
      operationId === undefined ? [] : [[operationId, [method, path]]],
    ),
  );
  expect(OPERATIONS).toEqual(Object.fromEntries(documented));
});
