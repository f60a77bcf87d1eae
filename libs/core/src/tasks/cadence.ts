/** When to ask a vendor next. Few questions while a job cannot be ready yet, close ones where it usually gets ready, rarer ones after. */

export interface Cadence {
  /** `tasks.poll_seconds` in milliseconds: what a plain poller would wait. */
  readonly pollMs: number;
  /** When jobs of this kind get ready, milliseconds after their submission; absent when nobody knows. */
  readonly window?: ReadyWindow;
}
export interface ReadyWindow {
  readonly from: number;
  readonly to: number;
}

/** A vendor's fault or silence is met with pauses that double up to this. */
const LONGEST_PAUSE_MS = 60_000;
/** The share of a plain poller's questions that close watching may cost. */
const SHARE_OF_PLAIN = 0.8;
/** The closest watching: a job that got ready is seen within this share of `pollMs`. */
const CLOSEST = 0.36;

/** The shortest pause between two questions about one task. */
export function shortestPause({ pollMs }: Pick<Cadence, 'pollMs'>): number {
  return pollMs / 5;
}

/** Milliseconds from now to the next question about a job that is `age` milliseconds old. */
export function pauseAfter(age: number, cadence: Cadence, vendorWish = 0): number {
  const pause = cadence.window === undefined ? unknownPause(age, cadence) : knownPause(age, cadence, cadence.window);
  return Math.round(Math.max(pause, vendorWish, shortestPause(cadence)));
}

/** Milliseconds to wait after the n-th fault in a row; a vendor's retry-after is kept. */
export function pauseAfterFault(faults: number, cadence: Cadence, retryAfterSeconds = 0): number {
  const doubled = cadence.pollMs * 2 ** Math.min(10, Math.max(0, faults - 1));
  return Math.round(Math.max(Math.min(doubled, LONGEST_PAUSE_MS), retryAfterSeconds * 1000, shortestPause(cadence)));
}

function unknownPause(age: number, { pollMs }: Cadence): number {
  return Math.min(age * 0.15, pollMs * 2);
}

function knownPause(age: number, { pollMs }: Cadence, { from, to }: ReadyWindow): number {
  // One early look: input that the vendor refuses fails in the first seconds, and work that has begun should show.
  if (age < pollMs && pollMs * 1.5 < from) return pollMs - age;
  if (age < from) return from - age;
  const plainQuestions = (from + to) / 2 / pollMs;
  const affordable = Math.max(0.5, plainQuestions * SHARE_OF_PLAIN - 1);
  const close = Math.min(pollMs, Math.max(pollMs * CLOSEST, (to - from) / 2 / affordable));
  if (age < to) return close;
  return Math.min(close + (age - to) * 0.1, LONGEST_PAUSE_MS);
}

// ---- learning ----------------------------------------------------------------------------------------------------

const REMEMBERED = 256;
const ENOUGH = 8;
const RELEARN_EVERY = 8;
/** Before anything is learnt, jobs are taken to be ready within this part and this multiple of their usual time. */
const GUESS = { from: 0.7, to: 1.4 };
/** One task in so many is watched from earlier on, so that a vendor that has become faster is noticed. */
const SCOUTS = 16;
const SCOUT_FROM = 0.7;

/** What this process has seen of how long jobs take, by account and vendor model. */
export interface Durations {
  record(job: JobKind, ms: number): void;
  /** The learnt window, or one around `usualMs`, or none. */
  window(job: JobKind, usualMs: number | undefined): ReadyWindow | undefined;
}
export interface JobKind {
  readonly accountId: number;
  readonly upstreamModel: string;
}

interface Sample {
  readonly values: number[];
  next: number;
  untilRelearn: number;
  window: ReadyWindow | undefined;
}

/** Makes the memory of one process. */
export function createDurations(): Durations {
  const samples = new Map<string, Sample>();
  const nameOf = ({ accountId, upstreamModel }: JobKind): string => `${accountId} ${upstreamModel}`;
  return {
    record(job, ms) {
      const name = nameOf(job);
      const sample = samples.get(name) ?? { values: [], next: 0, untilRelearn: ENOUGH, window: undefined };
      samples.set(name, sample);
      sample.values[sample.next] = ms;
      sample.next = (sample.next + 1) % REMEMBERED;
      sample.untilRelearn--;
      if (sample.untilRelearn > 0) return;
      sample.untilRelearn = RELEARN_EVERY;
      sample.window = windowOf(sample.values);
    },
    window(job, usualMs) {
      const learnt = samples.get(nameOf(job))?.window;
      if (learnt !== undefined || usualMs === undefined) return learnt;
      return { from: usualMs * GUESS.from, to: usualMs * GUESS.to };
    },
  };
}

/** The window of one task: a scout's begins earlier. Which tasks are scouts follows from their ids. */
export function windowFor(taskId: string, window: ReadyWindow): ReadyWindow {
  let sum = 0;
  for (const character of taskId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % SCOUTS === 0 ? { from: window.from * SCOUT_FROM, to: window.to } : window;
}

/** Nineteen in twenty of the durations seen, with a margin that shrinks as more are seen. */
function windowOf(values: readonly number[]): ReadyWindow {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const margin = 0.2 / Math.sqrt(sorted.length);
  return { from: at(0.025) * (1 - margin), to: at(0.975) * (1 + margin) };
}
