/** What owners are called and which organization they belong to, for labels of metrics: read when it is needed, and again now and then. */
import type { Log, OwnerStore } from '@model-gateway/core';

const FRESH_MS = 60_000;
/** Beyond this many, those that are not needed now are forgotten. */
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
  #known: ReadonlyMap<number, OwnerFact> = new Map();
  readonly #wanted = new Set<number>();
  #readAt = 0;
  #reading: Promise<void> | undefined;
  #isFailing = false;

  constructor(parts: OwnerFactsParts) {
    this.#parts = parts;
  }

  /** Undefined while it has not been read: `read` then reads it. Facts that are older than a minute are read again behind the call. */
  find(ownerId: number): OwnerFact | undefined {
    const fact = this.#known.get(ownerId);
    if (fact === undefined) this.#wanted.add(ownerId);
    else if (this.#parts.now() - this.#readAt >= FRESH_MS) void this.read();
    return fact;
  }

  /** As it was read last. */
  nameOf(ownerId: number): string | undefined {
    return this.#known.get(ownerId)?.name;
  }

  /** Reads what is wanted; one read at a time. Never rejects: what could not be read stays unknown. */
  read(): Promise<void> {
    return (this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    }));
  }

  async #readAll(): Promise<void> {
    const { owners, now, log } = this.#parts;
    // Those that are asked for in the same turn are read together.
    await Promise.resolve();
    try {
      for (let first = true; first || this.#wanted.size > 0; first = false) {
        const wanted = [...this.#wanted];
        const all = [...this.#known.keys(), ...wanted];
        const ids = all.length > MOST_KNOWN ? wanted : all;
        const [names, organizations] = await Promise.all([owners.names(ids), owners.organizations()]);
        this.#known = new Map(
          ids.map((id) => [id, { name: names.get(id) ?? '', organization: organizations.get(id) ?? '' }]),
        );
        this.#readAt = now();
        this.#isFailing = false;
        for (const id of wanted) this.#wanted.delete(id);
      }
    } catch (error) {
      // Every charge of an unknown owner tries again.
      if (!this.#isFailing) log.warn({ err: error }, 'owners could not be read for the metrics of spend');
      this.#isFailing = true;
    }
  }
}
