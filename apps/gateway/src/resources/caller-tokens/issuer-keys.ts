/** Checks tokens with the public keys of their issuer, which are read when a token needs them, at bounded intervals whatever tokens say. */
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { createLocalJWKSet, JSONWebKeySet } from 'jose';
import type { TokenIssuer } from '../../config/caller-tokens.ts';
import { isSafeAddress } from '../../config/single-sign-on.ts';
import { boundedFetch } from '../console/oidc/provider-fetch.ts';

/** By how much clocks may differ. */
export const SKEW_SECONDS = 60;
/** For one answer of the issuer. */
const PATIENCE_MS = 5_000;
/** Keys that the issuer has taken back are forgotten after this long. */
const KNOWN_MS = 600_000;
/** Tokens that name unknown keys, and an issuer that does not answer, make it be asked this often at most. */
const ASKED_EACH_MS = 10_000;

/** The keys of one issuer. */
export class IssuerKeys {
  readonly #issuer: TokenIssuer;
  readonly #now: () => number;
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #readAt = -Infinity;
  #askedAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(issuer: TokenIssuer, now: () => number) {
    this.#issuer = issuer;
    this.#now = now;
  }

  /** The claims of a token that the issuer signed for this gateway and that is valid now. Throws an error of jose, or GatewayError `unavailable`. */
  async verify(token: string): Promise<JsonObject> {
    const { jwtVerify } = await import('jose');
    if (this.#keys === undefined || this.#now() - this.#readAt > KNOWN_MS) await this.#read();
    const check = async (): Promise<JsonObject> => {
      if (this.#keys === undefined) throw away(this.#issuer);
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer: this.#issuer.issuer,
        audience: [...this.#issuer.audiences],
        algorithms: [...this.#issuer.algorithms],
        requiredClaims: ['exp'],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(this.#now()),
      });
      return payload as JsonObject;
    };
    try {
      return await check();
    } catch (error) {
      // The issuer may have begun to sign with another key.
      if (codeOf(error) !== 'ERR_JWKS_NO_MATCHING_KEY' || !(await this.#read())) throw error;
      return check();
    }
  }

  /** Whether the keys were read anew: not if the issuer was asked a moment ago. What was known goes on while it is away. */
  async #read(): Promise<boolean> {
    if (this.#reading === undefined) {
      if (this.#now() - this.#askedAt < ASKED_EACH_MS) return false;
      this.#askedAt = this.#now();
      this.#reading = this.#ask().finally(() => {
        this.#reading = undefined;
      });
    }
    try {
      await this.#reading;
      return true;
    } catch {
      return false;
    }
  }

  async #ask(): Promise<void> {
    const { createLocalJWKSet } = await import('jose');
    const address = this.#issuer.jwksUri ?? (await this.#discovered());
    this.#keys = createLocalJWKSet((await readJson(address)) as unknown as JSONWebKeySet);
    this.#readAt = this.#now();
  }

  /** What the issuer says of itself is not safer than the way it came by. */
  async #discovered(): Promise<string> {
    const base = this.#issuer.issuer.replace(/\/$/, '');
    const { issuer, jwks_uri: address } = await readJson(`${base}/.well-known/openid-configuration`);
    if (issuer !== this.#issuer.issuer) throw new Error('the discovery document is that of another issuer');
    if (typeof address !== 'string' || !isSafeAddress(address)) throw new Error('the jwks_uri is no safe address');
    return address;
  }
}

/** The code of an error of jose. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

async function readJson(url: string): Promise<JsonObject> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const reply = await boundedFetch(url, { redirect: 'manual', headers: { accept: 'application/json' }, signal });
  const read: unknown = reply.status === 200 ? await reply.json() : undefined;
  if (!isJsonObject(read)) throw new Error(`${new URL(url).host} answered with no JSON object`);
  return read;
}

function away({ issuer }: TokenIssuer): GatewayError {
  return new GatewayError('unavailable', `the keys of the issuer ${issuer} cannot be read at the moment`, {
    retryAfterSeconds: ASKED_EACH_MS / 1000,
  });
}
