/** What a vendor that lists its models must answer. */
import type { Json } from '@model-gateway/contracts';
import type { Upstream } from './adapter.ts';
import { listAt, numberAt, textAt } from './json-path.ts';

export interface ListedModel {
  /** The name that requests ask for. */
  readonly id: string;
  /** Tokens; absent where the list does not tell. */
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
  /** What it is for, as the catalogue calls its kinds; absent where the list does not tell. */
  readonly kind?: string;
  /** What a chat model reads; absent where the list does not tell. */
  readonly inputs?: readonly ('text' | 'image' | 'audio')[];
  /** Whether a chat model can think before it answers; absent where the list does not tell. */
  readonly thinks?: boolean;
  /** US dollars per million tokens. */
  readonly price?: Readonly<Record<string, number>>;
  /** From when on the vendor serves it no more, as the vendor writes it. */
  readonly retiresAt?: string;
  /** The vendor advises against it. */
  readonly isDeprecated?: true;
  /** Other names that requests may ask for it by. */
  readonly otherNames?: readonly string[];
  /** The body that callers send, of a kind of model that has several. */
  readonly body?: string;
}

export interface ModelListAdapter {
  /** The kinds of models that it has, as the catalogue calls them; absent: all that the vendor has. */
  readonly kinds?: readonly string[];
  /** The vendor has more models than it lists: one that is not in the list need not be gone. */
  readonly isPartial?: true;
  /** The models that the account may ask for, in the vendor's order. */
  list(upstream: Upstream): Promise<readonly ListedModel[]>;
}

/** Members of an item of a list, by their names on the wire; of several names the first that is there counts. */
export interface ListedMembers {
  readonly id: string;
  readonly maxInputTokens?: readonly string[];
  readonly maxOutputTokens?: readonly string[];
  /** Paths to prices per token in US dollars, by the names that the catalogue has for them. */
  readonly pricePerToken?: Readonly<Record<string, readonly [string, string]>>;
  readonly retiresAt?: readonly string[];
}

/** Items that have no id are left out. */
export function listedModels(items: Json | undefined, members: ListedMembers): readonly ListedModel[] {
  return listAt(items).flatMap((item) => {
    const id = textAt(item, members.id);
    if (id === undefined) return [];
    const first = (names: readonly string[] = []): number | undefined =>
      names.map((name) => numberAt(item, name)).find((count) => count !== undefined && count > 0);
    const [input, output] = [first(members.maxInputTokens), first(members.maxOutputTokens)];
    return [
      {
        id,
        ...(input !== undefined && { maxInputTokens: input }),
        ...(output !== undefined && { maxOutputTokens: output }),
        ...priceIn(item, members.pricePerToken),
        ...retirementIn(item, members.retiresAt),
      },
    ];
  });
}

/** Prices are numbers or texts on the wire; a vendor that has none for a model says nothing, or less than zero. */
function priceIn(item: Json, paths: ListedMembers['pricePerToken'] = {}): Pick<ListedModel, 'price'> {
  const price = Object.entries(paths).flatMap(([name, path]) => {
    const perToken = numberAt(item, ...path) ?? Number(textAt(item, ...path) ?? Number.NaN);
    return perToken >= 0 ? [[name, Number((perToken * 1e6).toPrecision(10))] as const] : [];
  });
  return price.length === 0 ? {} : { price: Object.fromEntries(price) };
}

function retirementIn(item: Json, names: readonly string[] = []): Pick<ListedModel, 'retiresAt'> {
  const retiresAt = names.map((name) => textAt(item, name)).find((text) => text !== undefined && text !== '');
  return retiresAt === undefined ? {} : { retiresAt };
}
