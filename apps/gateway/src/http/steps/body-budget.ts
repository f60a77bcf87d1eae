import { GatewayError } from '@model-gateway/contracts';

/** Room that every body has without asking, so that ordinary requests are never refused because of others. */
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

/** When a body is no longer needed: a response that closes, or what stands for one. */
interface Closing {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** The share of one body. It is released when its response is over and the work for it has ended. */
export interface BodyHold {
  /** Sets room aside for a body of this size before any of it is read. Waits for others to end where there is none; resolves with the refusal when that takes too long. */
  admit(bytes: number): GatewayError | undefined | Promise<GatewayError | undefined>;
  /** The same for what comes all at once, later: nothing of its room is given to others before it ends. */
  admitWhole(bytes: number): GatewayError | undefined | Promise<GatewayError | undefined>;
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
  /** What fills the room, for refusals. */
  readonly words?: BudgetWords;
}

interface BudgetWords {
  readonly ofOwner: string;
  readonly ofAll: string;
  /** What the caller can do about it. */
  readonly advice: string;
}

const OF_BODIES: BudgetWords = {
  ofOwner:
    'the requests of your account that are under way have bodies that fill what this gateway has for large bodies',
  ofAll: 'the requests that are under way have bodies that fill what this gateway has for large bodies',
  advice: 'send a smaller body',
};
const OF_ANSWERS: BudgetWords = {
  ofOwner: 'the answers of your account that have not been read fill what this gateway has for large answers',
  ofAll: 'the answers that have not been read fill what this gateway has for large answers',
  advice: 'ask for less at once',
};
const MOST_ANSWER_BYTES = 256 * 1024 * 1024;

/** The budget of large answers until they have been read: as much as bodies have. */
export function createAnswerBudget(): BodyBudget {
  return new BodyBudget({ total: MOST_ANSWER_BYTES, largest: 0, words: OF_ANSWERS });
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
  private readonly words: BudgetWords;
  private readonly owners = new Map<Owner, number>();
  private all = 0;
  private waiting: Waiter[] = [];
  /** When each owner had its last turn, while requests are waiting. */
  private readonly turns = new Map<Owner, number>();
  private turn = 0;
  /** Bodies with reserved room for bytes that have not arrived yet. */
  private readonly arriving = new Set<Hold>();
  private looking: NodeJS.Timeout | undefined;

  constructor({ total, largest, waitMs = WAIT_MS, words = OF_BODIES }: BodyBudgetOptions) {
    this.words = words;
    this.most = Math.max(total, largest);
    this.mostOfOwner = Math.max(Math.floor(total / 2), largest);
    this.waitMs = waitMs;
  }

  /** Begins to count a body. `owner` is undefined for the admin API. */
  open(response: Closing, owner: Owner): BodyHold {
    return new Hold(this, response, owner);
  }

  /** Room for so many bytes: at once, after others have ended, or not at all. */
  admit(hold: Hold, wanted: number): GatewayError | undefined | Promise<GatewayError | undefined> {
    const bytes = Math.min(wanted, this.mostOfOwner);
    if (this.waiting.length === 0 && this.refusal(hold.owner, bytes) === undefined) {
      this.grant(hold, bytes);
      return undefined;
    }
    const ahead = this.waiting.filter(({ hold: { owner } }) => owner === hold.owner).length;
    if (ahead >= MOST_WAITING_OF_OWNER) return this.refusal(hold.owner, bytes) ?? this.full('ofAll');
    const { promise, resolve } = Promise.withResolvers<GatewayError | undefined>();
    const late = setTimeout(() => waiter.end(this.refusal(hold.owner, bytes) ?? this.full('ofAll')), this.waitMs);
    const leave = (): void => waiter.end(this.full('ofAll'));
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
    if ((this.owners.get(owner) ?? 0) + bytes > this.mostOfOwner) return this.full('ofOwner');
    return this.all + bytes > this.most ? this.full('ofAll') : undefined;
  }

  private full(whose: 'ofOwner' | 'ofAll'): GatewayError {
    return tooMuch(this.words[whose], this.words.advice);
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
   * Admits the bodies that fit. Owners take turns: the owner with the fewest bytes comes first. A body that does not fit in the whole room
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
  readonly response: Closing;
  readonly owner: Owner;
  private readonly budget: BodyBudget;
  private admittedAt = 0;
  private came = 0;
  private counted = 0;
  private reasons = 0;
  private isHeld = false;

  constructor(budget: BodyBudget, response: Closing, owner: Owner) {
    this.budget = budget;
    this.response = response;
    this.owner = owner;
  }

  admit(bytes: number): GatewayError | undefined | Promise<GatewayError | undefined> {
    return bytes <= FREE_BYTES ? undefined : this.budget.admit(this, bytes - FREE_BYTES);
  }

  admitWhole(bytes: number): GatewayError | undefined | Promise<GatewayError | undefined> {
    this.came = Infinity;
    return this.admit(bytes);
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

function tooMuch(why: string, advice: string): GatewayError {
  return new GatewayError('rate_limited', `${why}; try again in ${RETRY_AFTER_SECONDS} seconds, or ${advice}`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
