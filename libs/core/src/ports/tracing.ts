/** Who is told of what requests and tasks do at vendors, where somebody wants traces. Absent otherwise: then nothing is done for it. */
import type { DialectName, ErrorCode, Usage } from '@model-gateway/contracts';
import type { Offer, RowKind } from '../catalogue.ts';

/** A vendor is asked once. */
export interface AttemptAsked {
  readonly offer: Offer;
  /** The model code that the caller asked for; undefined where a task is submitted, which says so itself. */
  readonly model: string | undefined;
  readonly kind: RowKind | undefined;
  /** The chat dialect it is asked in. */
  readonly dialect: DialectName | undefined;
  /** 1 for the first. */
  readonly number: number;
  /** What the attempt before it was refused with. */
  readonly after: ErrorCode | undefined;
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly error?: unknown;
  /** The caller has gone: nothing is known of the vendor. */
  readonly isGone?: boolean;
  /** What is billed. */
  readonly usage?: Usage | undefined;
  /** Quota units. */
  readonly charged?: number;
}

export interface AttemptSpan {
  /** Once; what comes later is not heard. */
  ended(end: AttemptEnd): void;
}

/** Work on a task that its caller no longer waits for. */
export interface TaskWork {
  readonly name: 'poll' | 'webhook';
  readonly taskId: string;
  /** W3C trace context of the request that made the task; a trace of its own begins where there is none. */
  readonly traceParent: string | undefined;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface TaskWorkSpan {
  /** What came of it, in one word. */
  outcome(word: string, isFault: boolean): void;
}

export interface Tracing {
  /** Begins the span of an attempt, within the request that runs now. */
  attempt(asked: AttemptAsked): AttemptSpan;
  /** Runs work on a task as a span of its own. */
  work<T>(work: TaskWork, run: (span: TaskWorkSpan) => Promise<T>): Promise<T>;
  /** W3C trace context of what runs now: for what is sent on, and kept with a task. Undefined where nothing is traced. */
  traceParent(): string | undefined;
}
