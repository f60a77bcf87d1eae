/** How long a chat request may take. */
import { GatewayError } from '@model-gateway/contracts';

export interface Deadline {
  /** Aborted when it is over. */
  readonly signal: AbortSignal;
  /** The error of what it ended: the deadline's own when it is over. */
  errorOf(error: unknown): unknown;
  /** It holds no longer. */
  clear(): void;
}

/** Starts one; `message` is told when it is over. */
export function startDeadline(seconds: number, message: string): Deadline {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), seconds * 1000);
  return {
    signal: over.signal,
    errorOf: (error) => (over.signal.aborted ? new GatewayError('upstream_timeout', message) : error),
    clear: () => clearTimeout(timer),
  };
}

/** Aborted with the first of them. */
export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length < 2 ? given[0] : AbortSignal.any(given);
}
