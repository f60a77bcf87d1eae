/** How many requests a run may make, for how long, and how often the same: what its model is told is to stop, since trying again does not help. */
import { GatewayError } from '@model-gateway/contracts';
import { scopeWord } from '../money/spend-scopes.ts';
import type { KeyLimits, KeyRecord, RunStore } from '../ports.ts';
import type { ChatInRun } from './repeated-calls.ts';

const MINUTE_MS = 60_000;

/** The run that a request belongs to; the key's run of the day if it names none. */
export interface RunOf {
  readonly run: string | undefined;
  /** Given where the key limits repeated calls and the request is a chat. */
  readonly chat?: ChatInRun;
}

/** How a request came into its run. */
export interface RunEntry {
  readonly refusal?: GatewayError;
  /** To be called when it was answered whole and without an error; absent where nobody wants to know. */
  readonly answered?: () => Promise<void>;
}

/** Whether a key has a limit of its runs other than dollars. */
export function limitsRuns({ requestsPerRun, minutesPerRun, repeatedCallsPerRun }: KeyLimits): boolean {
  return requestsPerRun !== undefined || minutesPerRun !== undefined || repeatedCallsPerRun !== undefined;
}

/** Counts the request, or refuses it. */
export async function enterRun(runs: RunStore, key: KeyRecord, of: RunOf, now: number): Promise<RunEntry> {
  const { requestsPerRun, minutesPerRun } = key.limits;
  const repeated = await repetition(key.limits, of);
  if (repeated.refusal !== undefined) return repeated;
  const { request, most } = repeated;
  if (requestsPerRun === undefined && minutesPerRun === undefined && request === undefined) return {};
  const name = of.run === undefined ? new Date(now).toISOString().slice(0, 10) : scopeWord(of.run);
  const { requests, startedAt, answered } = await runs.count(key.id, name, now);
  if (requestsPerRun !== undefined && requests > requestsPerRun)
    return {
      refusal: over('requests_per_run', `This run has made the ${requestWords(requestsPerRun)} that it may make.`),
    };
  if (minutesPerRun !== undefined && now - startedAt >= minutesPerRun * MINUTE_MS)
    return { refusal: over('minutes_per_run', `The ${minutesPerRun} minutes of this run are over.`) };
  if (request === undefined) return {};
  const times = answered?.request === request ? answered.times : 0;
  if (times >= most)
    return { refusal: over('repeated_calls_per_run', `The same request was answered ${times} times in this run.`) };
  return { answered: () => runs.answered(key.id, name, request) };
}

interface Repeated {
  readonly most: number;
  readonly refusal?: GatewayError;
  /** Equal for equal requests; absent where they are not counted. */
  readonly request?: string;
}

/** Requests without a run are many clients' perhaps, so the same one may come from each: only their conversations tell of a loop. */
async function repetition(
  { repeatedCallsPerRun: most = Infinity }: KeyLimits,
  { run, chat }: RunOf,
): Promise<Repeated> {
  if (most === Infinity || chat === undefined) return { most };
  // Most keys do not limit them.
  const { digestOf, repetitionIn, repetitionWords } = await import('./repeated-calls.ts');
  const found = repetitionIn(chat, most);
  if (found !== undefined) return { most, refusal: over('repeated_calls_per_run', repetitionWords(found)) };
  const request = run === undefined ? undefined : await digestOf(chat);
  return { most, ...(request !== undefined && { request }) };
}

function requestWords(most: number): string {
  return most === 1 ? 'one request' : `${most} requests`;
}

function over(limit: string, message: string): GatewayError {
  return new GatewayError('run_limit_reached', `${message} Stop and report what you have.`, { limit });
}
