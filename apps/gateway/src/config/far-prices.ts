/** Prices that are far from those of the built-in catalogue: a point that slipped, or dollars per thousand tokens. */
import type { ConfigFault } from './fault.ts';
import type { ConfigRows } from './rows.ts';
import type { ModelFileRow } from './schema.ts';
import type { ConfigSource } from './source.ts';

/** Contracts and currencies explain a factor of three; more is a slip. */
const FAR = 3;

/** One warning for each price of the file's rows that is more than three times, or less than a third of, the built-in one. */
export function farPrices({
  models,
  builtInModels,
  layers,
}: ConfigRows): readonly (ConfigFault & { source: ConfigSource })[] {
  const counterpart = counterparts(builtInModels);
  return models.flatMap(({ path, row, source }) => {
    if (source === layers.builtIn) return [];
    const known = counterpart(row);
    if (known?.price === undefined) return [];
    const usual = numbersOf(known.price);
    return [...numbersOf(row.price ?? {})].flatMap(([name, price]) => {
      const expected = usual.get(name);
      if (expected === undefined || expected === 0 || price === 0) return [];
      const factor = price / expected;
      if (factor <= FAR && factor >= 1 / FAR) return [];
      const times = factor > 1 ? `${round(factor)} times as much` : `1/${round(1 / factor)} of it`;
      const message = `${price} is far from the ${expected} that the built-in catalogue has for ${known.code} (${times})`;
      return [{ path: [...path, 'price', name], message, source }];
    });
  });
}

/** Finds the built-in row of the same code, else the first of the kind that has a name in common: code, alias or vendor model. */
function counterparts(builtIn: readonly ModelFileRow[]): (row: ModelFileRow) => ModelFileRow | undefined {
  const byCode = new Map(builtIn.map((row) => [row.code, row]));
  const places = new Map<string, number>();
  for (const [place, row] of builtIn.entries())
    for (const name of namesOf(row)) if (!places.has(name)) places.set(name, place);
  return (row) => {
    const found = namesOf(row).flatMap((name) => places.get(name) ?? []);
    return byCode.get(row.code) ?? builtIn[Math.min(...found)];
  };
}

/** By kind: what names one thing of a kind may name another of the next. */
function namesOf({ kind, code, aliases = [], offers }: ModelFileRow): readonly string[] {
  return [code, ...aliases, ...offers.map(({ model }) => model)].map((name) => `${kind} ${name}`);
}

function numbersOf(price: NonNullable<ModelFileRow['price']>): ReadonlyMap<string, number> {
  return new Map(Object.entries(price).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

function round(factor: number): number {
  return factor >= 10 ? Math.round(factor) : Math.round(factor * 10) / 10;
}
