/** Answers in the memory of one process, within a bound: those that were not asked for the longest go first, of a tenant that has much its own. */
import type { AnswerStore, CachedAnswer } from '../ports.ts';

/** One tenant has this share of the place at most. */
const TENANT_SHARE = 4;
/** An entry beside its body. */
const ENTRY_BYTES = 1024;

interface Entry {
  readonly answer: CachedAnswer;
  readonly tenant: string;
  readonly until: number;
  readonly size: number;
}

/** Makes an empty place for so many bytes. Nobody else shares it: every claim is given. */
export function createMemoryAnswers(options: { readonly most: number; readonly now: () => number }): AnswerStore {
  const { most, now } = options;
  /** In the order of their last use. */
  const entries = new Map<string, Entry>();
  const sizes = new Map<string, number>();
  let total = 0;

  const remove = (key: string, { tenant, size }: Entry): void => {
    entries.delete(key);
    total -= size;
    const left = (sizes.get(tenant) ?? size) - size;
    if (left === 0) sizes.delete(tenant);
    else sizes.set(tenant, left);
  };
  const makeRoom = (tenant: string): void => {
    const isFull = (): boolean => (sizes.get(tenant) ?? 0) > most / TENANT_SHARE;
    for (const [key, entry] of entries) {
      if (total <= most && !isFull()) return;
      if (total > most || entry.tenant === tenant) remove(key, entry);
    }
  };

  return {
    async get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.until <= now()) {
        remove(key, entry);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.answer;
    },
    async set(key, tenant, answer, ttlMs) {
      const known = entries.get(key);
      if (known !== undefined) remove(key, known);
      const size = answer.body.length + ENTRY_BYTES;
      if (size > most / TENANT_SHARE) return;
      entries.set(key, { answer, tenant, until: now() + ttlMs, size });
      total += size;
      sizes.set(tenant, (sizes.get(tenant) ?? 0) + size);
      makeRoom(tenant);
    },
    claim: async () => true,
    release: async () => undefined,
  };
}
