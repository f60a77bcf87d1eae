/** Lists that answer `{data, has_more, next_after}`. */
import type { Core } from '../core.ts';
import type { OperationId, QueryOf, ReplyOf } from '../operations.ts';
import type { Pages } from '../pages.ts';
import type { RequestOptions } from '../transport.ts';

/** The operations that answer `{data, has_more, next_after}`. */
type Paged = {
  [Id in OperationId]: ReplyOf<Id> extends { data: unknown[]; next_after: unknown } ? Id : never;
}[OperationId];
type ItemOf<Id extends Paged> = ReplyOf<Id> extends { data: (infer Item)[] } ? Item : never;

/** Lists of `{data, has_more, next_after}`. */
export function listOf<Id extends Paged>(
  core: Core,
  id: Id,
  query: QueryOf<Id> | undefined,
  options: RequestOptions | undefined,
): Pages<ItemOf<Id>> {
  return core.pages(
    id,
    (after) => ({ ...query, ...(after !== undefined && { after }) }) as QueryOf<Id>,
    (reply) => {
      const page = reply as { data: ItemOf<Id>[]; next_after: string | number | null };
      return { items: page.data, next: page.next_after };
    },
    options,
  );
}
