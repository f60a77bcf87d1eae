import type { ServerResponse } from 'node:http';
import { GatewayError } from '@model-gateway/contracts';

/** What every body has for nothing: ordinary requests are never refused for what others send. */
const FREE_BYTES = 256 * 1024;
const RETRY_AFTER_SECONDS = 2;
/** Shorter than what balancers allow an idle connection. */
const WAIT_MS = 45_000;
const MOST_WAITING_OF_OWNER = 100;
/** A sender that has had this long and is slower than the pace holds room only for what has come, while others wait. */
const GRACE_MS = 5_000;
const PACE_BYTES_PER_MS = 256;
const LOOK_MS = 1_000;

type Owner = number | undefined;

/** What one body takes. It is given back when its response is over and the work for it has ended. */
export interface BodyHold {
  /** Sets room aside for a body of this size before any of it is read. Waits for others to end where there is none; resolves with the refusal when that takes too long. */
  admit(bytes: number): GatewayError | undefined | Promise<GatewayError | undefined>;
  /** Counts bytes that came; gives the refusal when they do not fit. */
  take(bytes: number): GatewayError | undefined;
  /** The body is needed until this has ended, whether or not the caller is still there. */
  keepFor(work: Promise<unknown>): void;
}

export interface BodyBudgetOptions {
  /** Bytes in all; an owner may have half of it. */
  readonly total: number;
  /** Bytes of the largest body that is taken: one of it always fits. */
  readonly largest: number;
  /** How long a body waits for room. */
  readonly waitMs?: number;
}

interface Waiter {
  readonly hold: Hold;
  readonly bytes: number;
  readonly end: (refused: GatewayError | undefined) => void;
}

/** The budget of one process. */
export class BodyBudget {
  private readonly most: number;
  private readonly mostOfOwner: number;
  private readonly waitMs: number;
  private readonly owners = new Map<Owner, number>();
  private all = 0;
  private waiting: Waiter[] = [];
  /** When owners had their last turn since somebody waits. */
  private readonly turns = new Map<Owner, number>();
  private turn = 0;
  /** Those that have room for bytes that have not come yet. */
  private readonly arriving = new Set<Hold>();
  private looking: NodeJS.Timeout | undefined;

  constructor({ total, largest, waitMs = WAIT_MS }: BodyBudgetOptions) {
    this.most = Math.max(total, largest);
    this.mostOfOwner = Math.max(Math.floor(total / 2), largest);
    this.waitMs = waitMs;
  }

  /** Begins to count a body. `owner` is undefined for the admin API. */
  open(response: ServerResponse, owner: Owner): BodyHold {
    return new Hold(this, response, owner);
  }

  /** Room for so many bytes: at once, after others have ended, or not at all. */
  admit(hold: Hold, bytes: number): GatewayError | undefined | Promise<GatewayError | undefined> {
    if (this.waiting.length === 0 && this.refusal(hold.owner, bytes) === undefined) {
      this.grant(hold, bytes);
      return undefined;
    }
    const ahead = this.waiting.filter(({ hold: { owner } }) => owner === hold.owner).length;
    if (ahead >= MOST_WAITING_OF_OWNER) return this.refusal(hold.owner, bytes) ?? tooMuch(OF_ALL);
    const { promise, resolve } = Promise.withResolvers<GatewayError | undefined>();
    const late = setTimeout(() => waiter.end(this.refusal(hold.owner, bytes) ?? tooMuch(OF_ALL)), this.waitMs);
    const leave = (): void => waiter.end(tooMuch(OF_ALL));
    const waiter: Waiter = {
      hold,
      bytes,
      end: (refused) => {
        clearTimeout(late);
        hold.response.off('close', leave);
        this.waiting = this.waiting.filter((each) => each !== waiter);
        this.lookWhileWaiting();
        resolve(refused);
        if (refused !== undefined) this.serve();
      },
    };
    hold.response.once('close', leave);
    this.waiting.push(waiter);
    this.lookWhileWaiting();
    this.serve();
    return promise;
  }

  /** Why so many bytes more do not fit. */
  refusal(owner: Owner, bytes: number): GatewayError | undefined {
    if ((this.owners.get(owner) ?? 0) + bytes > this.mostOfOwner) return tooMuch(OF_OWNER);
    return this.all + bytes > this.most ? tooMuch(OF_ALL) : undefined;
  }

  /** Counts bytes; less than nothing gives them back, to those who wait. */
  add(owner: Owner, bytes: number): void {
    this.all += bytes;
    const now = (this.owners.get(owner) ?? 0) + bytes;
    if (now === 0) this.owners.delete(owner);
    else this.owners.set(owner, now);
    if (bytes < 0) this.serve();
  }

  /** All of it has come, or nobody waits for it any more. */
  arrived(hold: Hold): void {
    this.arriving.delete(hold);
  }

  private grant(hold: Hold, bytes: number): void {
    hold.count(bytes);
    this.arriving.add(hold);
  }

  /**
   * Lets in whoever fits. Owners take turns: the first of the one with the fewest bytes under way is looked at first, and who does not fit in all
   * holds up those behind, or small bodies would keep large ones out for ever.
   */
  private serve(): void {
    while (this.waiting.length > 0) {
      const heads = new Map<Owner, Waiter>();
      for (const waiter of this.waiting) if (!heads.has(waiter.hold.owner)) heads.set(waiter.hold.owner, waiter);
      const used = ({ hold: { owner } }: Waiter): number => this.owners.get(owner) ?? 0;
      const next = [...heads.values()]
        .toSorted((a, b) => used(a) - used(b) || this.turnOf(a) - this.turnOf(b))
        .find((waiter) => used(waiter) + waiter.bytes <= this.mostOfOwner);
      if (next === undefined || this.all + next.bytes > this.most) return;
      this.turns.set(next.hold.owner, ++this.turn);
      this.grant(next.hold, next.bytes);
      next.end(undefined);
    }
  }

  private turnOf({ hold: { owner } }: Waiter): number {
    return this.turns.get(owner) ?? 0;
  }

  private lookWhileWaiting(): void {
    if (this.waiting.length === 0) {
      clearInterval(this.looking);
      this.looking = undefined;
      this.turns.clear();
    } else this.looking ??= setInterval(() => this.reclaim(), LOOK_MS).unref();
  }

  private reclaim(): void {
    for (const hold of this.arriving) hold.giveBackIfSlow();
  }
}

/** What one body takes of a budget. */
class Hold implements BodyHold {
  readonly response: ServerResponse;
  readonly owner: Owner;
  private readonly budget: BodyBudget;
  private admittedAt = 0;
  private came = 0;
  private counted = 0;
  private reasons = 0;
  private isHeld = false;

  constructor(budget: BodyBudget, response: ServerResponse, owner: Owner) {
    this.budget = budget;
    this.response = response;
    this.owner = owner;
  }

  admit(bytes: number): GatewayError | undefined | Promise<GatewayError | undefined> {
    return bytes <= FREE_BYTES ? undefined : this.budget.admit(this, bytes - FREE_BYTES);
  }

  take(bytes: number): GatewayError | undefined {
    this.came += bytes;
    const more = this.dear - this.counted;
    if (more >= 0) this.budget.arrived(this);
    if (more <= 0) return undefined;
    const refused = this.budget.refusal(this.owner, more);
    if (refused === undefined) this.count(more);
    return refused;
  }

  keepFor(work: Promise<unknown>): void {
    if (!this.isHeld) return;
    this.reasons++;
    const release = (): void => this.release();
    work.then(release, release);
  }

  /** Counts bytes that there is room for. */
  count(bytes: number): void {
    if (!this.isHeld) {
      this.isHeld = true;
      this.admittedAt = performance.now();
      this.reasons++;
      this.response.once('close', () => this.release());
    }
    this.counted += bytes;
    this.budget.add(this.owner, bytes);
  }

  giveBackIfSlow(): void {
    const ms = performance.now() - this.admittedAt;
    if (ms < GRACE_MS || this.came >= ms * PACE_BYTES_PER_MS) return;
    this.budget.arrived(this);
    const unsent = this.counted - this.dear;
    this.counted -= unsent;
    this.budget.add(this.owner, -unsent);
  }

  /** What of it has come and counts. */
  private get dear(): number {
    return Math.max(0, this.came - FREE_BYTES);
  }

  private release(): void {
    if (--this.reasons > 0) return;
    this.budget.arrived(this);
    const { counted } = this;
    this.counted = 0;
    if (counted > 0) this.budget.add(this.owner, -counted);
  }
}

const OF_OWNER = 'the requests of your account that are under way have bodies';
const OF_ALL = 'the requests that are under way have bodies';

function tooMuch(whose: string): GatewayError {
  return new GatewayError(
    'rate_limited',
    `${whose} that fill what this gateway has for large bodies; try again in ${RETRY_AFTER_SECONDS} seconds, or send a smaller body`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
