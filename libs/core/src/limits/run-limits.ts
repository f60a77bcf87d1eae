/** How many requests a run may make, and for how long: what its model is told is to stop, since trying again does not help. */
import { GatewayError } from '@model-gateway/contracts';
import { scopeWord } from '../money/spend-scopes.ts';
import type { KeyRecord, RunStore } from '../ports.ts';

const MINUTE_MS = 60_000;

/** Counts the request; why it is refused, if it is. */
export async function refusedRun(
  runs: RunStore,
  { id, limits: { requestsPerRun, minutesPerRun } }: KeyRecord,
  run: string | undefined,
  now: number,
): Promise<GatewayError | undefined> {
  const name = run === undefined ? new Date(now).toISOString().slice(0, 10) : scopeWord(run);
  const { requests, startedAt } = await runs.count(id, name, now);
  if (requestsPerRun !== undefined && requests > requestsPerRun)
    return over('requests_per_run', `This run has made its ${requestsPerRun} requests.`);
  if (minutesPerRun !== undefined && now - startedAt >= minutesPerRun * MINUTE_MS)
    return over('minutes_per_run', `The ${minutesPerRun} minutes of this run are over.`);
  return undefined;
}

function over(limit: string, message: string): GatewayError {
  return new GatewayError('run_limit_reached', `${message} Stop and report what you have.`, { limit });
}
