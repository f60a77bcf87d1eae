/** What admin resources share in reading and printing values: names, money and times. */
import { GatewayError, UNITS_PER_DOLLAR } from '@model-gateway/contracts';

/** The deployment's own owner: of declared keys that name none, and of the first key. */
export const DEFAULT_OWNER = 1;
const LONGEST_NAME = 100;

/** A time as RFC 3339. */
export function timeOf(at: number): string {
  return new Date(at).toISOString();
}

/** `2026-11-26`, UTC. */
export function dayOf(at: number): string {
  return timeOf(at).slice(0, 10);
}

/** The beginning of its month, UTC. */
export function monthOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

export function timeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : timeOf(at);
}

/** `invalid_request` at a place. */
export function invalidAt(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${message}`, { param });
}

/** A name without spaces around it. Throws `invalid_request`. */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > LONGEST_NAME)
    throw invalidAt('name', `it must have 1 to ${LONGEST_NAME} characters`);
  return trimmed;
}

/** US dollars as whole quota units. Throws `invalid_request`. */
export function unitsOf(dollars: number, param: string): number {
  const units = Math.round(dollars * UNITS_PER_DOLLAR);
  if (!(dollars >= 0) || !Number.isSafeInteger(units) || Math.abs(units / UNITS_PER_DOLLAR - dollars) > 1e-9)
    throw invalidAt(
      param,
      `${dollars} US dollars are not a whole number of quota units; give a multiple of ${1 / UNITS_PER_DOLLAR}, 0 or more`,
    );
  return units;
}

/** Owners and keys of the configuration file are changed there. */
export function declaredFault(
  what: 'owner' | 'key',
  { id, name }: { readonly id: number; readonly name: string },
): GatewayError {
  return new GatewayError(
    'conflict',
    `the ${what} ${id} (${name}) is declared in the configuration file; change it there`,
  );
}
