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
  /** What it is for; absent where the list does not tell. */
  readonly kind?: 'chat' | 'embedding' | 'rerank';
  /** What a chat model reads; absent where the list does not tell. */
  readonly inputs?: readonly ('text' | 'image' | 'audio')[];
  /** Whether a chat model can think before it answers; absent where the list does not tell. */
  readonly thinks?: boolean;
}

export interface ModelListAdapter {
  /** The models that the account may ask for, in the vendor's order. */
  list(upstream: Upstream): Promise<readonly ListedModel[]>;
}

/** Members of an item of a list, by their names on the wire; of several names the first that is there counts. */
export interface ListedMembers {
  readonly id: string;
  readonly maxInputTokens?: readonly string[];
  readonly maxOutputTokens?: readonly string[];
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
      },
    ];
  });
}
