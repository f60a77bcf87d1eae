/** Ids of sessions of MCP clients of older revisions. They are signed and say everything: whichever process gets a request can read them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Store } from '@model-gateway/core';

const DAY_MS = 24 * 3_600_000;

export class SessionIds {
  readonly #settings: Pick<Store['settings'], 'first'>;
  readonly #now: () => number;
  #secret: string | undefined;

  constructor({
    store,
    now,
  }: {
    readonly store: { readonly settings: Pick<Store['settings'], 'first'> };
    readonly now: () => number;
  }) {
    this.#settings = store.settings;
    this.#now = now;
  }

  /** An id for a client with this key, good for a day. */
  async make(keyId: number): Promise<string> {
    const text = `${randomBytes(16).toString('base64url')}.${this.#now() + DAY_MS}`;
    return `${text}.${await this.#signature(text, keyId)}`;
  }

  /** Whether it was given to a client with this key, and is still good. */
  async isGood(id: string, keyId: number): Promise<boolean> {
    const [, text, until, given] = /^([\w-]{22}\.(\d{1,15}))\.([\w-]{43})$/.exec(id) ?? [];
    if (text === undefined || given === undefined || !(Number(until) > this.#now())) return false;
    return timingSafeEqual(Buffer.from(given), Buffer.from(await this.#signature(text, keyId)));
  }

  async #signature(text: string, keyId: number): Promise<string> {
    // Every process is given the same; one that cannot reach the database now asks again.
    this.#secret ??= await this.#settings.first('mcp_session_secret', randomBytes(32).toString('hex'));
    return createHmac('sha256', this.#secret).update(`${keyId} ${text}`).digest('base64url');
  }
}
