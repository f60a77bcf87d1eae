/**
 * Limits the concurrent calls of an account, for all its models together, and queues the rest. Waiting owners take turns, as in the
 * queue for jobs (docs/decisions/0018-a-queue-for-jobs.md), and no owner can fill the queue for the others.
 */
import { GatewayError } from '@model-gateway/contracts';
import type { GatewayAccount, KeyMode } from '../catalogue.ts';
import type { KeyRecord } from '../ports.ts';

const QUEUE_PER_CALL = 2;
const LONGEST_QUEUE_WAIT_MS = 10_000;

/** The caller that asks for a slot. Its owner and mode wait in one queue; its group sets how many slots it gets in a turn. */
export interface WaitingCaller {
  readonly key: KeyRecord;
  readonly mode: KeyMode;
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: GatewayError) => void;
}

/** The waiting calls of one owner and mode, the first one first. */
interface OwnerLine {
  readonly weight: number;
  /** Slots left in this turn. */
  left: number;
  waiters: Waiter[];
}

export interface ConcurrencyOptions {
  /** Which part of an account's bound this process has. */
  readonly shareOf?: (most: number) => number;
  /** Slots in a turn, by the group of the key; 1 if absent. */
  readonly weightOf?: (group: string) => number;
}

/** The bound of one account. */
export class Concurrency {
  private readonly shareOf: (most: number) => number;
  private readonly weightOf: (group: string) => number;
  private taken = 0;
  private waiting = 0;
  /** By owner and mode, the one whose turn it is first. */
  private readonly lines = new Map<string, OwnerLine>();

  constructor({ shareOf = (most) => most, weightOf = () => 1 }: ConcurrencyOptions = {}) {
    this.shareOf = shareOf;
    this.weightOf = weightOf;
  }

  get inFlight(): number {
    return this.taken;
  }

  get queued(): number {
    return this.waiting;
  }

  /** Whether a call would have to wait. */
  isFull({ maxConcurrency }: Pick<GatewayAccount, 'maxConcurrency'>): boolean {
    return this.taken >= this.shareOf(maxConcurrency);
  }

  /** Whether less than half of the slots are taken, and less than half by such calls. */
  isIdle({ maxConcurrency }: Pick<GatewayAccount, 'maxConcurrency'>, own: number): boolean {
    return Math.max(this.taken, own) < Math.max(1, this.shareOf(maxConcurrency) / 2);
  }

  /**
   * Takes a slot, at once if one is free. Throws GatewayError when the queue has no room for this owner; rejects when the wait is too
   * long, when an owner with fewer who wait needs the room, or when the caller has gone.
   */
  enter(account: GatewayAccount, caller: WaitingCaller | undefined): Promise<void> | undefined {
    const most = this.shareOf(account.maxConcurrency);
    if (this.taken < most) {
      this.taken++;
      return undefined;
    }
    const name = caller === undefined ? '' : `${caller.key.ownerId} ${caller.mode}`;
    const weight = caller === undefined ? 1 : Math.max(1, this.weightOf(caller.key.group));
    if (this.waiting >= most * QUEUE_PER_CALL) this.makeRoom(this.lines.get(name)?.waiters.length ?? 0, weight);
    return this.wait(name, weight, { account, signal: caller?.signal });
  }

  /** Releases a slot to the first call of the owner whose turn it is. The slot stays counted meanwhile, so no other call can take it. */
  leave(): void {
    const [turn] = this.lines;
    if (turn === undefined) {
      this.taken--;
      return;
    }
    const [name, line] = turn;
    const next = line.waiters[0];
    line.left--;
    if (line.left <= 0) {
      line.left = line.weight;
      this.lines.delete(name);
      this.lines.set(name, line);
    }
    next?.admit();
  }

  /**
   * In a full queue, the last call of the owner with the most waiting calls gives way to an owner with fewer. Each owner always has one place.
   * Throws when the newcomer is that owner itself.
   */
  private makeRoom(own: number, weight: number): void {
    let longest: OwnerLine | undefined;
    for (const line of this.lines.values())
      if (longest === undefined || line.waiters.length / line.weight > longest.waiters.length / longest.weight)
        longest = line;
    const rest = longest === undefined ? 0 : longest.waiters.length - 1;
    if (longest !== undefined && rest > 0 && rest / longest.weight >= (own + 1) / weight)
      longest.waiters.at(-1)?.refuse(saturated());
    else if (own > 0) throw saturated();
  }

  private wait(
    name: string,
    weight: number,
    { account, signal }: { readonly account: GatewayAccount; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.leaveLine(name, waiter);
      };
      const refuse = (error: GatewayError): void => {
        stop();
        reject(error);
      };
      const onAbort = (): void =>
        refuse(new GatewayError('upstream_unavailable', 'the request was cancelled', { taken: 'no' }));
      const waiter: Waiter = {
        admit: () => {
          stop();
          resolve();
        },
        refuse,
      };
      const longest = Math.min(LONGEST_QUEUE_WAIT_MS, account.deadlines.firstByte * 1000);
      const timer = setTimeout(() => refuse(saturated()), longest);
      timer.unref();
      signal?.addEventListener('abort', onAbort, { once: true });
      this.joinLine(name, weight, waiter);
    });
  }

  private joinLine(name: string, weight: number, waiter: Waiter): void {
    const line = this.lines.get(name);
    if (line === undefined) this.lines.set(name, { weight, left: weight, waiters: [waiter] });
    else line.waiters.push(waiter);
    this.waiting++;
  }

  private leaveLine(name: string, waiter: Waiter): void {
    const line = this.lines.get(name);
    if (line === undefined) return;
    line.waiters = line.waiters.filter((other) => other !== waiter);
    this.waiting--;
    // An owner without waiting calls loses the turn and does not save it up.
    if (line.waiters.length === 0) this.lines.delete(name);
  }
}

/** The account's limit, not an error of the gateway: 429 if the operation lists it. */
function saturated(): GatewayError {
  return new GatewayError(
    'upstream_rate_limited',
    'the vendor account has reached its limit of concurrent requests, and the queue is full',
    {
      retryAfterSeconds: 1,
      taken: 'no',
    },
  );
}
