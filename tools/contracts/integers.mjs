/** Integers that JSON carries exactly, and a column of the database takes: what is beyond is refused by the document, and no fault of a store. */
const EXACT = Number.MAX_SAFE_INTEGER;
const LARGEST_INT32 = 2 ** 31 - 1;
/** SDKs draw seeds of 64 bits, and vendors take them. */
const SEEDS = 2 ** 63;
/** What is no schema, though it may look like one. */
const VALUES = new Set(['example', 'examples', 'default', 'const', 'enum']);

/** The document, with a `minimum` and a `maximum` for every integer that says none itself. */
export function boundIntegers(document) {
  return bounded(document, '', false);
}

function bounded(value, name, isNamed) {
  if (Array.isArray(value)) return value.map((item) => bounded(item, name, false));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([member, item]) => [
      member,
      VALUES.has(member) && !isNamed
        ? item
        : bounded(item, isNamed ? member : name, member === 'properties' && !isNamed),
    ]),
  );
  if (isNamed || ![value.type].flat().includes('integer') || 'enum' in value || 'const' in value) return copy;
  const most = name === 'seed' ? SEEDS : EXACT;
  const { format, minimum = -most, maximum = most } = value;
  return {
    ...copy,
    // Generators of clients take an integer without a format for one of 32 bits.
    ...(format === undefined && Math.max(Math.abs(minimum), Math.abs(maximum)) > LARGEST_INT32 && { format: 'int64' }),
    ...(!('minimum' in value || 'exclusiveMinimum' in value) && { minimum: -most }),
    ...(!('maximum' in value || 'exclusiveMaximum' in value) && { maximum: most }),
  };
}
