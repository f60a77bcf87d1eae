/** Lists that come in pages: await one for its page, iterate it for every item. */

type Cursor = string | number;

interface Loaded<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; absent on the last one. */
  readonly next: Cursor | undefined;
}

/** One page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** The page after this one; undefined on the last. */
  next(): Promise<Page<Item> | undefined>;
}

/** A list. Nothing is asked before it is awaited or iterated; a page is asked for when its first item is needed. */
export class Pages<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #load: (after: Cursor | undefined) => Promise<Loaded<Item>>;

  constructor(load: (after: Cursor | undefined) => Promise<Loaded<Item>>) {
    this.#load = load;
  }

  then<A = Page<Item>, B = never>(
    done?: ((page: Page<Item>) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page(undefined).then(done, failed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    let page: Page<Item> | undefined = await this.#page(undefined);
    for (; page !== undefined; page = await page.next()) yield* page.items;
  }

  /** All items, or the first so many. */
  async all(limit = Infinity): Promise<Item[]> {
    const items: Item[] = [];
    if (limit > 0)
      for await (const item of this) {
        items.push(item);
        if (items.length >= limit) break;
      }
    return items;
  }

  async #page(after: Cursor | undefined): Promise<Page<Item>> {
    const { items, next } = await this.#load(after);
    return {
      items,
      hasMore: next !== undefined,
      next: async () => (next === undefined ? undefined : this.#page(next)),
    };
  }
}

/** How most lists page: `last_id` is the cursor of what comes after it. */
interface Listed<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly last_id?: string | null;
}

/** Lists of `{data, has_more, last_id}`; `load` is given the part of the query that says where a page begins. */
export function pagesOf<Item>(load: (after: { readonly after?: string }) => PromiseLike<Listed<Item>>): Pages<Item> {
  return new Pages(async (after) => {
    const { data, has_more: more, last_id: last } = await load(after === undefined ? {} : { after: String(after) });
    return { items: data, next: more ? (last ?? undefined) : undefined };
  });
}
