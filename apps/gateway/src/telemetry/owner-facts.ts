/** What owners are called and which organization they belong to, for labels of metrics: read when it is needed, and again now and then. */
import type { Log, OwnerStore } from '@model-gateway/core';

const FRESH_MS = 60_000;
/** Owners that are asked for within this time are read together. */
const GATHER_MS = 100;
/** Beyond this many, those that were read longest ago are forgotten. */
const MOST_KNOWN = 2_000;

export interface OwnerFact {
  readonly name: string;
  /** Empty where it belongs to none. */
  readonly organization: string;
}

export interface OwnerFactsParts {
  readonly owners: Pick<OwnerStore, 'names' | 'organizations'>;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
}

export class OwnerFacts {
  readonly #parts: OwnerFactsParts;
  readonly #whenRead: () => void;
  /** Those that were read longest ago come first. */
  readonly #known = new Map<number, OwnerFact>();
  readonly #wanted = new Set<number>();
  /** When all that were known were read. */
  #freshAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #isFailing = false;
  #isClosed = false;

  /** `whenRead` is called after every read that succeeded. */
  constructor(parts: OwnerFactsParts, whenRead: () => void) {
    this.#parts = parts;
    this.#whenRead = whenRead;
  }

  /** Undefined while it has not been read: it then is read soon. Once a minute all that is known is read again, behind the call. */
  find(ownerId: number): OwnerFact | undefined {
    const fact = this.#known.get(ownerId);
    if (fact === undefined && this.#wanted.size < MOST_KNOWN) this.#wanted.add(ownerId);
    if (fact === undefined || this.#isStale()) this.#readSoon();
    return fact;
  }

  /** As it was read last. */
  nameOf(ownerId: number): string | undefined {
    return this.#known.get(ownerId)?.name;
  }

  /** Reads what is wanted now, after the read that runs if there is one. Never rejects: what could not be read stays unknown. */
  read(): Promise<void> {
    if (this.#reading !== undefined)
      return (this.#next ??= this.#reading.then(() => {
        this.#next = undefined;
        return this.read();
      }));
    return (this.#reading = this.#readOnce().finally(() => {
      this.#reading = undefined;
    }));
  }

  /** Reads no more by itself. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #isStale(): boolean {
    return this.#parts.now() - this.#freshAt >= FRESH_MS;
  }

  #readSoon(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => void this.read(), GATHER_MS).unref();
  }

  async #readOnce(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { owners, now, log } = this.#parts;
    const wanted = [...this.#wanted];
    const isStale = this.#isStale();
    const ids = isStale ? [...this.#known.keys(), ...wanted] : wanted;
    if (ids.length === 0) return;
    const startedAt = now();
    try {
      const [names, organizations] = await Promise.all([owners.names(ids), owners.organizations(ids)]);
      for (const id of ids) this.#keep(id, { name: names.get(id) ?? '', organization: organizations.get(id) ?? '' });
      for (const id of wanted) this.#wanted.delete(id);
      if (isStale) this.#freshAt = startedAt;
      this.#isFailing = false;
    } catch (error) {
      // Every charge of an unknown owner tries again.
      if (!this.#isFailing && !this.#isClosed)
        log.warn({ err: error }, 'owners could not be read for the metrics of spend');
      this.#isFailing = true;
      return;
    }
    this.#whenRead();
  }

  #keep(id: number, fact: OwnerFact): void {
    this.#known.delete(id);
    this.#known.set(id, fact);
    if (this.#known.size <= MOST_KNOWN) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}
