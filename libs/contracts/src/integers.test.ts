/** Every integer of the document has its bounds, so that none reaches a database that cannot keep it. */
import { expect, it } from 'vitest';
import document from './generated/openapi.json' with { type: 'json' };

interface Found {
  readonly place: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

function integersIn(value: unknown, place: string): readonly Found[] {
  if (typeof value !== 'object' || value === null) return [];
  const schema = value as Readonly<Record<string, unknown>>;
  const own = [schema['type']].flat().includes('integer') ? [{ place, schema }] : [];
  const below = Object.entries(value).filter(([name]) => name !== 'example' && name !== 'examples');
  return [...own, ...below.flatMap(([name, item]) => integersIn(item, `${place}/${name}`))];
}

it('every integer has a least and a most', () => {
  const all = integersIn(document, '');
  expect(all.length).toBeGreaterThan(200);
  const isBounded = ({ schema }: Found): boolean =>
    'enum' in schema ||
    'const' in schema ||
    (('maximum' in schema || 'exclusiveMaximum' in schema) && ('minimum' in schema || 'exclusiveMinimum' in schema));
  expect(all.filter((found) => !isBounded(found)).map(({ place }) => place)).toEqual([]);
});

it('and none of ours goes beyond what a number carries exactly; seeds of SDKs may', () => {
  const beyond = integersIn(document, '').filter(
    ({ schema }) => Number(schema['maximum'] ?? 0) > Number.MAX_SAFE_INTEGER,
  );
  for (const { place } of beyond) expect(place).toMatch(/\/properties\/seed$/);
  expect(beyond.length).toBeGreaterThan(0);
});
