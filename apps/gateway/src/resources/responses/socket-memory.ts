/** What open sockets remember of responses that nobody keeps (`store: false`), so that the next one can go on from them. */
import { LRUCache } from 'lru-cache';
import { type Json, type JsonObject } from '@model-gateway/contracts';
import { keptResponses } from '@model-gateway/translate';

/** Of one socket: lanes go on from different ones. */
const MOST_REMEMBERED = 32;

interface Remembered {
  /** Everything that was said, oldest first, as a later request brings it. */
  readonly items: readonly JsonObject[];
}

/** The memory of all sockets of a process: what was used longest ago goes first when there is too much. */
export class MemoryBudget {
  readonly #kept: LRUCache<symbol, Remembered>;

  constructor(bytes: number) {
    this.#kept = new LRUCache({ maxSize: bytes });
  }

  get(place: symbol): Remembered | undefined {
    return this.#kept.get(place);
  }

  put(place: symbol, remembered: Remembered, bytes: number): void {
    this.#kept.set(place, remembered, { size: Math.max(1, bytes) });
  }

  forget(place: symbol): void {
    this.#kept.delete(place);
  }
}

/** The memory of one socket. */
export class SocketMemory {
  readonly #budget: MemoryBudget;
  /** Where each response is, oldest first. */
  readonly #places = new Map<string, symbol>();

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** A request with everything that was said before it, where it goes on from what is remembered; any other as it is. */
  continued(body: JsonObject): { readonly body: JsonObject; readonly previousId: string | undefined } {
    const { previous_response_id: previousId, store } = body;
    const place = typeof previousId === 'string' ? this.#places.get(previousId) : undefined;
    const known = place === undefined ? undefined : this.#budget.get(place);
    if (typeof previousId !== 'string' || known === undefined) return { body, previousId: undefined };
    const { previous_response_id: _previous, ...rest } = keptResponses.continued(body, known.items, true);
    const { store: _store, ...asked } = rest;
    return { body: { ...asked, ...(store !== undefined && { store }) }, previousId };
  }

  /** Remembers a response to a request that nobody keeps; of others the gateway's own memory or the vendor's knows. */
  remember(response: JsonObject, asked: JsonObject): void {
    const { id } = response;
    if (asked['store'] !== false || typeof id !== 'string') return;
    const items = keptResponses.historyAfter(asked, response);
    const place = Symbol(id);
    this.#places.set(id, place);
    this.#budget.put(place, { items }, bytesOf(items));
    for (const [oldest, old] of this.#places) {
      if (this.#places.size <= MOST_REMEMBERED) break;
      this.#places.delete(oldest);
      this.#budget.forget(old);
    }
  }

  forget(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.#budget.forget(place);
  }

  clear(): void {
    for (const place of this.#places.values()) this.#budget.forget(place);
    this.#places.clear();
  }
}

/** About how many bytes they take. */
function bytesOf(value: Json | readonly JsonObject[]): number {
  if (typeof value === 'string') return 2 * value.length + 16;
  if (typeof value !== 'object' || value === null) return 16;
  let bytes = 64;
  for (const [name, each] of Object.entries<Json>(value as JsonObject)) bytes += name.length + bytesOf(each);
  return bytes;
}
