/** Whose rows they are. Units and promises as in ports.ts. */

/** Owner and mode separate everything: no key sees or changes what another owner has, or the same owner in the other mode. A key is its own tenant. */
export interface Tenant {
  readonly ownerId: number;
  readonly mode: 'live' | 'test';
}
