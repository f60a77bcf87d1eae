/** What is said of a model that the catalogue does not have: near names, and what an operator can do. */
import { nearestCodes } from './nearest.ts';

/** The catalogue, as far as callers know it. */
interface KnownNames {
  readonly models: ReadonlyMap<string, unknown>;
  readonly aliases?: ReadonlyMap<string, string>;
  readonly accounts: readonly { readonly vendor: string }[];
  readonly unlisted?: readonly { readonly prefix: string; readonly row: { readonly kind: string } }[];
}

/** Characters of a name that was not found, told back. */
const LONGEST_TOLD = 120;

/** The sentence of the refusal. Never tells which accounts there are. */
export function unknownModelWords(known: KnownNames, name: string): string {
  const written = name.slice(0, LONGEST_TOLD);
  return `the model '${written}' is not in the catalogue; GET /v1/models lists the codes${nearest(known, written)}${priceWords(known, written)}`;
}

function nearest({ models, aliases }: KnownNames, written: string): string {
  const codes = [...models.keys()].map((code): [string, string] => [code, code]);
  const near = nearestCodes(written, [...codes, ...(aliases ?? [])]);
  return near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`;
}

/** Of a name that begins with a vendor's: which line would have it served, or why the line that is there does not serve it. */
function priceWords({ models, accounts, unlisted = [] }: KnownNames, written: string): string {
  const slash = written.indexOf('/');
  if (slash < 1) return '';
  const vendor = written.slice(0, slash);
  const prefix = `${vendor}/`;
  const kinds = unlisted.filter((each) => each.prefix === prefix).map(({ row }) => row.kind);
  if (kinds.length > 0)
    return `; the default_price of ${vendor} serves models of kind ${kinds.join(' and ')}, by names of up to 120 letters, digits and . _ : @ / -`;
  // Vendors and codes are no secret; names of the operator's accounts are.
  const isKnown =
    accounts.some((account) => account.vendor === vendor) || [...models.keys()].some((code) => code.startsWith(prefix));
  if (!isKnown) return '';
  return `; to serve models without an entry, the operator can add default_price: { input: …, output: … } to the account ${vendor}`;
}
