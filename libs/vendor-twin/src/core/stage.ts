import { randomBytes } from 'node:crypto';
import type { JobRegistry } from './jobs.ts';
import type { Ledger } from './ledger.ts';
import type { Media } from '../media/media.ts';
import type { TwinWebhooks } from './webhooks.ts';

/** How long asynchronous work takes, in seconds of the twin's clock. */
export interface TwinSeconds {
  readonly video: number;
  readonly subject: number;
  readonly image: number;
  readonly batch: number;
}

/** What all vendors of one twin share. */
export interface Stage {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** `http://127.0.0.1:1234`; known once the twin listens. */
  readonly url: string;
  readonly jobs: JobRegistry;
  readonly webhooks: TwinWebhooks;
  readonly ledger: Ledger;
  readonly media: Media;
  readonly seconds: TwinSeconds;
  readonly chunkDelayMs: number;
  readonly seenMarkers: Map<string, number>;
  /** Prefixes of prompts that vendors keep, and until when. */
  readonly seenPrefixes: Map<string, number>;
  newId(prefix: string): string;
}

/** Ids that no other twin and no earlier run gives out. */
export function idMaker(): (prefix: string) => string {
  const run = randomBytes(6).toString('hex');
  let count = 0;
  return (prefix) => {
    count += 1;
    return `${prefix}${run}${count.toString(36).padStart(6, '0')}`;
  };
}

/** A vendor's own memory: one value for every twin, made when first asked for. */
export function perStage<Value>(make: () => Value): (stage: Stage) => Value {
  const values = new WeakMap<Stage, Value>();
  return (stage) => {
    const known = values.get(stage);
    if (known !== undefined) return known;
    const value = make();
    values.set(stage, value);
    return value;
  };
}

/** Remembers the last so many things by name. */
export class Recent<Value> {
  readonly #most: number;
  readonly #values = new Map<string, Value>();

  constructor(most = 10_000) {
    this.#most = most;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
    const oldest = this.#values.keys().next();
    if (this.#values.size > this.#most && oldest.done !== true) this.#values.delete(oldest.value);
  }

  delete(name: string): boolean {
    return this.#values.delete(name);
  }
}
