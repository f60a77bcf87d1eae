/** Contents that a vendor keeps by name for requests to begin with (docs/wire/gemini-generate.md#cached-contents). */
import type { JsonObject } from '@model-gateway/contracts';
import type { Upstream } from './adapter.ts';

/** A content that is kept, as its vendor tells it. */
export interface KeptContext {
  /** By which requests name it. */
  readonly name: string;
  /** The vendor's object, without the content itself. */
  readonly about: JsonObject;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly tokens: number;
}

/** Bodies are in the dialect of the vendor's chat. */
export interface ContextCacheAdapter {
  /** Keeps it; `body` as the caller sent it, without the model. */
  create(body: JsonObject, upstream: Upstream): Promise<KeptContext>;
  /** Changes how long it is kept. */
  update(name: string, body: JsonObject, upstream: Upstream): Promise<KeptContext>;
  /** Resolves when it is gone, also when it was before. */
  remove(name: string, upstream: Upstream): Promise<void>;
}
