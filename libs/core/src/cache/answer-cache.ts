/**
 * Answers given again to the same request, whatever its kind (docs/decisions/0026-a-response-cache.md): who comes first asks, who comes meanwhile waits
 * for that answer, who comes later is given what is kept.
 */
import { randomBytes } from 'node:crypto';
import type { Parts } from '../parts.ts';
import type { AnswerStore, CachedAnswer } from '../ports.ts';

/** Larger answers are given once. */
export const LARGEST_CACHED = 1024 * 1024;
/** Whoever waits for another's answer asks himself after that long. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_LOOK_MS = 20;
const SLOWEST_LOOK_MS = 500;
/** Whose answer is waited for may fail this often. */
const ROUNDS = 3;
const TELL_EVERY_MS = 60_000;

export interface CacheQuestion {
  /** Of everything that the answer depends on, and of whose it is. */
  readonly key: string;
  /** Owner and mode. */
  readonly tenant: string;
  readonly ttlMs: number;
  /** What is kept is not given, but replaced. */
  readonly refresh: boolean;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/** What is to be done: give what is kept, or ask and then say what came of it, once. */
export type CacheAnswer =
  | { readonly hit: CachedAnswer }
  | {
      readonly hit: undefined;
      /** The whole answer; what is larger than is kept is not. */
      keep(answer: CachedAnswer): Promise<void>;
      /** There is none that can be kept. */
      forget(): Promise<void>;
    };

export interface AnswerCache {
  /** Never rejects: without its place the cache has nothing, and keeps nothing. */
  look(question: CacheQuestion): Promise<CacheAnswer>;
}

export interface AnswerCacheOptions extends Pick<Parts, 'now' | 'log'> {
  readonly store: AnswerStore;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Asking {
  /** Undefined when there is nothing to give to who waits. */
  readonly answered: Promise<CachedAnswer | undefined>;
  tell(answer: CachedAnswer | undefined): void;
}

/** Makes the cache of one process over a place that others may share. */
export function createAnswerCache(options: AnswerCacheOptions): AnswerCache {
  return new SharedAnswerCache(options);
}

class SharedAnswerCache implements AnswerCache {
  private readonly options: AnswerCacheOptions;
  private readonly asking = new Map<string, Asking>();
  /** Names this process at the place of claims. */
  private readonly name = randomBytes(12).toString('hex');
  private toldAt = -Infinity;

  constructor(options: AnswerCacheOptions) {
    this.options = options;
  }

  async look(question: CacheQuestion): Promise<CacheAnswer> {
    const { key, refresh, signal } = question;
    for (let round = 0; round < ROUNDS && !refresh; round++) {
      const other = this.asking.get(key);
      if (other === undefined) break;
      const answer = await this.wait(other, signal);
      if (answer !== undefined) return { hit: answer };
      if (signal.aborted) break;
    }
    if (this.asking.has(key)) return this.asks(question);
    const own = this.begin(key);
    const kept = await this.elsewhere(question);
    if (kept === undefined) return this.asks(question, own);
    this.tell(key, own, kept);
    return { hit: kept };
  }

  private begin(key: string): Asking {
    const { promise: answered, resolve: tell } = Promise.withResolvers<CachedAnswer | undefined>();
    const own = { answered, tell };
    this.asking.set(key, own);
    return own;
  }

  /** What another request of this process is answered; undefined where it has none, or takes too long. */
  private async wait(other: Asking, signal: AbortSignal): Promise<CachedAnswer | undefined> {
    const over = new AbortController();
    try {
      const either = AbortSignal.any([signal, over.signal]);
      return await Promise.race([other.answered, this.options.pause(LONGEST_WAIT_MS, either).then(() => undefined)]);
    } finally {
      over.abort();
    }
  }

  /** What another process is asked for now, or undefined as soon as it is this one's turn. */
  private async elsewhere({ key, refresh, signal }: CacheQuestion): Promise<CachedAnswer | undefined> {
    const { store, now, pause } = this.options;
    const until = now() + LONGEST_WAIT_MS;
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(SLOWEST_LOOK_MS, wait * 2)) {
      const kept = refresh ? undefined : await this.tried(store.get(key), undefined);
      if (kept !== undefined || refresh) return kept;
      if (await this.tried(store.claim(key, this.name, LONGEST_WAIT_MS), true)) {
        // Who had the claim may have kept an answer between the look and the claim.
        const meanwhile = await this.tried(store.get(key), undefined);
        if (meanwhile !== undefined) await this.release(key);
        return meanwhile;
      }
      if (signal.aborted || now() >= until) return undefined;
      await pause(wait, signal);
    }
  }

  /** `own` is undefined of who asks beside another: nobody waits for him. */
  private asks(question: CacheQuestion, own?: Asking): CacheAnswer {
    const { key, tenant, ttlMs } = question;
    let isOver = false;
    return {
      hit: undefined,
      keep: async (answer) => {
        if (isOver) return;
        isOver = true;
        const fits = answer.body.length <= LARGEST_CACHED;
        if (fits) await this.tried(this.options.store.set(key, tenant, answer, ttlMs), undefined);
        await this.end(key, own, fits ? answer : undefined);
      },
      forget: async () => {
        if (isOver) return;
        isOver = true;
        await this.end(key, own, undefined);
      },
    };
  }

  private async end(key: string, own: Asking | undefined, answer: CachedAnswer | undefined): Promise<void> {
    if (own === undefined) return;
    this.tell(key, own, answer);
    await this.release(key);
  }

  private tell(key: string, own: Asking, answer: CachedAnswer | undefined): void {
    if (this.asking.get(key) === own) this.asking.delete(key);
    own.tell(answer);
  }

  private release(key: string): Promise<void> {
    return this.tried(this.options.store.release(key, this.name), undefined);
  }

  private async tried<T>(work: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const { now, log } = this.options;
      if (now() - this.toldAt >= TELL_EVERY_MS) {
        this.toldAt = now();
        log.warn({ err: error }, 'the response cache cannot be used; requests go to vendors');
      }
      return otherwise;
    }
  }
}
