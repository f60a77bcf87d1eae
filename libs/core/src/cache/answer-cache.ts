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
export function createAnswerCache({ store, now, log, pause }: AnswerCacheOptions): AnswerCache {
  const asking = new Map<string, Asking>();
  /** Names this process at the place of claims. */
  const name = randomBytes(12).toString('hex');
  let toldAt = -Infinity;

  const tried = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (now() - toldAt >= TELL_EVERY_MS) {
        toldAt = now();
        log.warn({ err: error }, 'the response cache cannot be used; requests go to vendors');
      }
      return otherwise;
    }
  };
  const begin = (key: string): Asking => {
    let tell: Asking['tell'] = () => undefined;
    const answered = new Promise<CachedAnswer | undefined>((resolve) => (tell = resolve));
    const own = { answered, tell };
    asking.set(key, own);
    return own;
  };
  /** What another process is asked for now, or undefined as soon as it is this one's turn. */
  const elsewhere = async ({ key, refresh, signal }: CacheQuestion): Promise<CachedAnswer | undefined> => {
    const until = now() + LONGEST_WAIT_MS;
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(SLOWEST_LOOK_MS, wait * 2)) {
      const kept = refresh ? undefined : await tried(store.get(key), undefined);
      if (kept !== undefined || refresh) return kept;
      if (await tried(store.claim(key, name, LONGEST_WAIT_MS), true)) {
        // Who had the claim may have kept an answer between the look and the claim.
        const meanwhile = await tried(store.get(key), undefined);
        if (meanwhile !== undefined) await tried(store.release(key, name), undefined);
        return meanwhile;
      }
      if (signal.aborted || now() >= until) return undefined;
      await pause(wait, signal);
    }
  };
  const end = async (
    { key }: CacheQuestion,
    own: Asking | undefined,
    answer: CachedAnswer | undefined,
  ): Promise<void> => {
    if (own === undefined) return;
    if (asking.get(key) === own) asking.delete(key);
    own.tell(answer);
    await tried(store.release(key, name), undefined);
  };
  /** `own` is undefined of who asks beside another: nobody waits for him. */
  const asks = (question: CacheQuestion, own?: Asking): CacheAnswer => {
    let isOver = false;
    return {
      hit: undefined,
      async keep(answer) {
        if (isOver) return;
        isOver = true;
        const fits = answer.body.length <= LARGEST_CACHED;
        if (fits) await tried(store.set(question.key, question.tenant, answer, question.ttlMs), undefined);
        await end(question, own, fits ? answer : undefined);
      },
      async forget() {
        if (isOver) return;
        isOver = true;
        await end(question, own, undefined);
      },
    };
  };
  const wait = async (own: Asking, signal: AbortSignal): Promise<CachedAnswer | undefined> => {
    const over = new AbortController();
    try {
      const either = AbortSignal.any([signal, over.signal]);
      return await Promise.race([own.answered, pause(LONGEST_WAIT_MS, either).then(() => undefined)]);
    } finally {
      over.abort();
    }
  };

  return {
    async look(question) {
      const { key, refresh, signal } = question;
      for (let round = 0; round < ROUNDS && !refresh; round++) {
        const other = asking.get(key);
        if (other === undefined) break;
        const answer = await wait(other, signal);
        if (answer !== undefined) return { hit: answer };
        if (signal.aborted) break;
      }
      if (asking.has(key)) return asks(question);
      const own = begin(key);
      const kept = await elsewhere(question);
      if (kept === undefined) return asks(question, own);
      if (asking.get(key) === own) asking.delete(key);
      own.tell(kept);
      return { hit: kept };
    },
  };
}
