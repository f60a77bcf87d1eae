/**
 * Watches over what must always be so of the rows together (docs/guides/operations.md). No process is special: whoever finds the last look
 * old claims the next one, and all of them tell what it found.
 */
import type { GaugeMeter, Log } from '../parts.ts';
import {
  INVARIANTS,
  type InvariantCursor,
  type InvariantReport,
  type InvariantStore,
  type Violation,
} from '../ports/invariants.ts';

/** Between two looks of all processes together. */
const EVERY_MS = 60_000;
/** Each process reads as often what was found. */
const READ_EVERY_MS = 15_000;
/** A look whose process died is begun again after this long. */
const CLAIM_MS = 60_000;
const MOST_KEPT = 100;
const NOTHING: Shared = {
  cursor: { entryId: 0, ownerId: 0 },
  passed: { entries: false, owners: false },
  violations: [],
};

/** Violations of each law, one gauge a law; 0 is as it should be. */
export const INVARIANT_GAUGE = 'gateway_invariant_violations';

interface Shared extends InvariantReport {
  readonly cursor: InvariantCursor;
  /** What of the pass under way has come to its end. */
  readonly passed: { readonly entries: boolean; readonly owners: boolean };
  /** Until then somebody is looking. */
  readonly claimedUntil?: number;
}

export interface InvariantMonitorOptions {
  readonly invariants: InvariantStore;
  readonly now: () => number;
  readonly log: Log;
  readonly meter: Pick<GaugeMeter, 'gauge'>;
  /** How much more than their credit owners may owe, quota units. */
  readonly overdraft?: number;
}

/** The monitor of one process. */
export class InvariantMonitor {
  private readonly options: InvariantMonitorOptions;
  private timer: NodeJS.Timeout | undefined;
  private tending: Promise<void> | undefined;

  constructor(options: InvariantMonitorOptions) {
    this.options = options;
  }

  /** Reads what was found, and looks when it is time. Runs by itself every 15 seconds after `start`. */
  tend(): Promise<void> {
    this.tending ??= this.tendOnce().finally(() => (this.tending = undefined));
    return this.tending;
  }

  /** Looks now, whether it is time or not, unless another process is looking; resolves with what is known then. */
  async look(): Promise<InvariantReport> {
    await this.tending?.catch(() => undefined);
    return publicPart(await this.lookIf(() => true));
  }

  /** What was found last, by whichever process. */
  async report(): Promise<InvariantReport> {
    return publicPart((await this.readShared()).shared);
  }

  start(): void {
    const tick = (): void => {
      this.tend().catch((error: unknown) =>
        this.options.log.warn({ err: error }, 'the invariants could not be checked'),
      );
    };
    this.timer ??= setInterval(tick, READ_EVERY_MS).unref();
    tick();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.tending?.catch(() => undefined);
  }

  private async tendOnce(): Promise<void> {
    const { now } = this.options;
    await this.lookIf(({ at }) => at === undefined || now() - at >= EVERY_MS || now() < at);
  }

  /** Reads what is known, looks where it is due and nobody else does, and shows what is known then. */
  private async lookIf(isDue: (shared: Shared) => boolean): Promise<Shared> {
    const { word, shared } = await this.readShared();
    const mayLook = isDue(shared) && !isClaimed(shared, this.options.now());
    const found = (mayLook ? await this.claimAndLook(word, shared) : undefined) ?? shared;
    for (const invariant of INVARIANTS) {
      const count = found.violations.filter((each) => each.invariant === invariant).length;
      this.options.meter.gauge(INVARIANT_GAUGE, count, { invariant });
    }
    return found;
  }

  private async readShared(): Promise<{ readonly word: string | undefined; readonly shared: Shared }> {
    const word = await this.options.invariants.read();
    return { word, shared: word === undefined ? NOTHING : (JSON.parse(word) as Shared) };
  }

  /** Claims the next look, makes it, and tells everybody. Undefined when another process was quicker. */
  private async claimAndLook(word: string | undefined, shared: Shared): Promise<Shared | undefined> {
    const { invariants, now, overdraft = 0 } = this.options;
    const claimed = JSON.stringify({ ...shared, claimedUntil: now() + CLAIM_MS });
    if (!(await invariants.replace(word, claimed))) return undefined;
    const { violations, next } = await invariants.look({
      ...{ cursor: shared.cursor, again: shared.violations, now: now(), overdraft },
    });
    const passed = passedWith(shared.passed, next);
    const isWhole = passed.entries && passed.owners;
    const found: Shared = {
      at: now(),
      ...(isWhole ? { wholeAt: now() } : shared.wholeAt !== undefined && { wholeAt: shared.wholeAt }),
      violations: violations.slice(0, MOST_KEPT),
      cursor: next,
      passed: isWhole ? NOTHING.passed : passed,
    };
    await invariants.replace(claimed, JSON.stringify(found));
    this.logChanges(shared.violations, found.violations);
    return found;
  }

  /** Once per change, whoever sees it. */
  private logChanges(before: readonly Violation[], after: readonly Violation[]): void {
    const { log } = this.options;
    for (const invariant of INVARIANTS) {
      const old = new Set(before.filter((each) => each.invariant === invariant).map(({ subject }) => subject));
      const current = after.filter((each) => each.invariant === invariant);
      const fresh = current.filter(({ subject }) => !old.has(subject));
      if (fresh.length > 0)
        log.error(
          { invariant, violations: current.length, examples: fresh.slice(0, 3).map(({ message }) => message) },
          'an invariant is violated',
        );
      else if (current.length === 0 && old.size > 0) log.info({ invariant }, 'an invariant holds again');
    }
  }
}

export interface WholeLook {
  readonly now: () => number;
  /** How much more than their credit owners may owe, quota units. */
  readonly overdraft?: number;
  /** Ends it: it rejects then, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told after each part how many entries have been looked at. */
  readonly tell?: (entries: number) => void;
}

/** Looks at everything once, whoever else looks; the shared report stays as it is. */
export async function checkInvariants(
  invariants: Pick<InvariantStore, 'look'>,
  { now, overdraft = 0, signal, tell }: WholeLook,
): Promise<InvariantReport> {
  let cursor = NOTHING.cursor;
  let passed = NOTHING.passed;
  let found: readonly Violation[] = [];
  do {
    const { violations, next } = await invariants.look({ cursor, again: found, now: now(), overdraft });
    signal?.throwIfAborted();
    found = violations;
    passed = passedWith(passed, next);
    if (next.entryId > 0) tell?.(next.entryId);
    // What has come to its end stays there, so that it is not begun anew.
    cursor = next;
  } while (!passed.entries || !passed.owners);
  return { at: now(), wholeAt: now(), violations: found };
}

/** A claim from the future is of a clock that was wrong. */
function isClaimed({ claimedUntil }: Shared, at: number): boolean {
  return claimedUntil !== undefined && claimedUntil > at && claimedUntil <= at + CLAIM_MS;
}

/** A cursor at 0 has come to its end. */
function passedWith(passed: Shared['passed'], next: InvariantCursor): Shared['passed'] {
  return { entries: passed.entries || next.entryId === 0, owners: passed.owners || next.ownerId === 0 };
}

function publicPart({ at, wholeAt, violations }: Shared): InvariantReport {
  return { ...(at !== undefined && { at }), ...(wholeAt !== undefined && { wholeAt }), violations };
}
