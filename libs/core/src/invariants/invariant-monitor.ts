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

export interface InvariantMonitor {
  /** Reads what was found, and looks when it is time. Runs by itself every 15 seconds after `start`. */
  tend(): Promise<void>;
  /** Looks now, whether it is time or not, unless another process is looking; resolves with what is known then. */
  look(): Promise<InvariantReport>;
  /** What was found last, by whichever process. */
  report(): Promise<InvariantReport>;
  start(): void;
  stop(): Promise<void>;
}

export interface InvariantMonitorOptions {
  readonly invariants: InvariantStore;
  readonly now: () => number;
  readonly log: Log;
  readonly meter: Pick<GaugeMeter, 'gauge'>;
}

/** Makes the monitor of one process. */
export function createInvariantMonitor({ invariants, now, log, meter }: InvariantMonitorOptions): InvariantMonitor {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const show = ({ violations }: InvariantReport): void => {
    for (const invariant of INVARIANTS)
      meter.gauge(INVARIANT_GAUGE, violations.filter((each) => each.invariant === invariant).length, { invariant });
  };
  const readShared = async (): Promise<{ readonly word: string | undefined; readonly shared: Shared }> => {
    const word = await invariants.read();
    return { word, shared: word === undefined ? NOTHING : (JSON.parse(word) as Shared) };
  };
  /** Claims the next look, makes it, and tells everybody. Undefined when another process was quicker. */
  const lookOnce = async (word: string | undefined, shared: Shared): Promise<Shared | undefined> => {
    const claimed = JSON.stringify({ ...shared, claimedUntil: now() + CLAIM_MS });
    if (!(await invariants.replace(word, claimed))) return undefined;
    const { violations, next } = await invariants.look({ cursor: shared.cursor, again: shared.violations, now: now() });
    const passed = {
      entries: shared.passed.entries || next.entryId === 0,
      owners: shared.passed.owners || next.ownerId === 0,
    };
    const isWhole = passed.entries && passed.owners;
    const found: Shared = {
      at: now(),
      ...(isWhole ? { wholeAt: now() } : shared.wholeAt !== undefined && { wholeAt: shared.wholeAt }),
      violations: violations.slice(0, MOST_KEPT),
      cursor: next,
      passed: isWhole ? NOTHING.passed : passed,
    };
    await invariants.replace(claimed, JSON.stringify(found));
    tell(shared.violations, found.violations);
    return found;
  };
  /** Once per change, whoever sees it. */
  const tell = (before: readonly Violation[], after: readonly Violation[]): void => {
    for (const invariant of INVARIANTS) {
      const old = subjectsOf(before, invariant);
      const current = after.filter((each) => each.invariant === invariant);
      const fresh = current.filter(({ subject }) => !old.has(subject));
      if (fresh.length > 0)
        log.error(
          { invariant, violations: current.length, examples: fresh.slice(0, 3).map(({ message }) => message) },
          'an invariant is violated',
        );
      else if (current.length === 0 && old.size > 0) log.info({ invariant }, 'an invariant holds again');
    }
  };
  const tend = async (): Promise<void> => {
    const { word, shared } = await readShared();
    const isDue = shared.at === undefined || now() - shared.at >= EVERY_MS || now() < shared.at;
    const found = isDue && !isClaimed(shared, now()) ? await lookOnce(word, shared) : undefined;
    show(found ?? shared);
  };
  const tendOnce = (): Promise<void> =>
    (running ??= tend().finally(() => {
      running = undefined;
    }));
  const tick = (): void => {
    tendOnce().catch((error: unknown) => log.warn({ err: error }, 'the invariants could not be looked at'));
  };

  return {
    tend: tendOnce,
    async look() {
      await running?.catch(() => undefined);
      const { word, shared } = await readShared();
      const found = isClaimed(shared, now()) ? undefined : await lookOnce(word, shared);
      show(found ?? shared);
      return publicPart(found ?? shared);
    },
    async report() {
      return publicPart((await readShared()).shared);
    },
    start() {
      timer ??= setInterval(tick, READ_EVERY_MS).unref();
      tick();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await running?.catch(() => undefined);
    },
  };
}

/** Looks at everything once, whoever else looks; the shared report stays as it is. */
export async function lookThrough(
  invariants: Pick<InvariantStore, 'look'>,
  now: () => number,
): Promise<InvariantReport> {
  let cursor = NOTHING.cursor;
  let passed = NOTHING.passed;
  let found: readonly Violation[] = [];
  do {
    const { violations, next } = await invariants.look({ cursor, again: found, now: now() });
    found = violations;
    passed = { entries: passed.entries || next.entryId === 0, owners: passed.owners || next.ownerId === 0 };
    // What has come to its end stays there, so that it is not begun anew.
    cursor = next;
  } while (!passed.entries || !passed.owners);
  return { at: now(), wholeAt: now(), violations: found };
}

/** A claim from the future is of a clock that was wrong. */
function isClaimed({ claimedUntil }: Shared, at: number): boolean {
  return claimedUntil !== undefined && claimedUntil > at && claimedUntil <= at + CLAIM_MS;
}

function subjectsOf(violations: readonly Violation[], invariant: string): Set<string> {
  return new Set(violations.filter((each) => each.invariant === invariant).map(({ subject }) => subject));
}

function publicPart({ at, wholeAt, violations }: Shared): InvariantReport {
  return { ...(at !== undefined && { at }), ...(wholeAt !== undefined && { wholeAt }), violations };
}
