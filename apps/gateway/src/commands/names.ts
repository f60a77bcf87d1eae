/** Names of owners and keys beside their numbers, for tables that people read. */
import type { Work } from './operator.ts';
import { named } from './output.ts';

/** As many as are read; what is beyond stands by its number. */
const MOST_NAMES = 2_000;

export interface Names {
  /** `search (3)`; `test` for what test keys did, which nobody pays. */
  readonly owner: (id: number) => string;
  /** `indexer (7)`; nothing where there is no key. */
  readonly key: (id: number | null) => string;
}

/** Reads them in as few questions as there are pages; none for programs, which have the numbers. */
export async function readNames({ list, isJson }: Pick<Work, 'list' | 'isJson'>): Promise<Names> {
  if (isJson) return { owner: String, key: (id) => (id === null ? '' : String(id)) };
  const [owners, keys] = [
    await list('listOwners', {}, MOST_NAMES),
    await list('listKeys', { include_revoked: true }, MOST_NAMES),
  ];
  const ownerNames = new Map(owners.map(({ id, name }) => [id, name]));
  const keyNames = new Map(keys.map(({ id, name }) => [id, name]));
  return {
    owner: (id) => named(ownerNames.get(id), id),
    key: (id) => (id === null ? '' : named(keyNames.get(id), id)),
  };
}
