/*
 * A place in the log of requests is one whole number, so that the order of rows is that of time and every index of them is small: milliseconds
 * since 2020 times 4096, and a number within the millisecond. Exact in JavaScript until 2089.
 */

/** Where places begin. */
export const EPOCH = Date.UTC(2020);
/** Requests of one millisecond, of all replicas. */
export const SLOTS = 4096;

/** The first place of a millisecond. */
export function firstPlace(at: number): number {
  return (at - EPOCH) * SLOTS;
}

export function timeOfPlace(place: number): number {
  return Math.floor(place / SLOTS) + EPOCH;
}

/** The place that a row takes unless another one has it: ids end with chance. */
export function wantedPlace(at: number, id: string): number {
  const end = id.length;
  const mixed = id.charCodeAt(end - 1) + id.charCodeAt(end - 2) * 31 + id.charCodeAt(end - 3) * 961;
  return firstPlace(at) + (mixed & (SLOTS - 1));
}

/** The payer of a row: its owner and its mode. */
export function payerOf({ ownerId, mode }: { readonly ownerId: number; readonly mode: 'live' | 'test' }): number {
  return ownerId * 2 + (mode === 'test' ? 1 : 0);
}

export function tenantOf(payer: number): { readonly ownerId: number; readonly mode: 'live' | 'test' } {
  return { ownerId: Math.floor(payer / 2), mode: payer % 2 === 0 ? 'live' : 'test' };
}
