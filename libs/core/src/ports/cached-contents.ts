/** Contents that vendors keep for callers by name. Units and promises as in ports.ts. */
import type { JsonObject } from '@model-gateway/contracts';
import type { Tenant } from './tenant.ts';

export interface CachedContentRecord extends Tenant {
  /** The vendor's own: requests that name it travel as they came. */
  readonly name: string;
  readonly keyId: number;
  readonly accountId: number;
  /** The code of the model that it was made for. */
  readonly model: string;
  readonly tokens: number;
  /** The vendor's object, without the content. */
  readonly about: JsonObject;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface CachedContentStore {
  add(content: CachedContentRecord): Promise<void>;
  /** One of the tenant's that has not expired at `now`. */
  find(tenant: Tenant, name: string, now: number): Promise<CachedContentRecord | undefined>;
  /** Those that have not expired at `now`, by name, after the one of this name. */
  list(
    tenant: Tenant,
    page: { readonly now: number; readonly limit: number; readonly after?: string },
  ): Promise<readonly CachedContentRecord[]>;
  update(content: Pick<CachedContentRecord, 'name' | 'about' | 'expiresAt'>): Promise<void>;
  remove(name: string): Promise<void>;
  /** Removes at most `limit` that expired before. */
  sweep(before: number, limit: number): Promise<number>;
}
