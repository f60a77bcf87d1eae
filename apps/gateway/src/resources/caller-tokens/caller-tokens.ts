/** Callers that bring a token of their company's identity provider in place of a key (docs/guides/caller-tokens.md). */
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { atMost, hashKey, isKeyOver, type ApiKeyAuthenticator, type KeyRecord, type Log, type OwnerRecord, type Store } from '@model-gateway/core'; // prettier-ignore
import { LRUCache } from 'lru-cache';
import type { TokenIssuer, TokenRights } from '../../config/caller-tokens.ts';
import { present } from '../../present.ts';
import { boundedText } from '../../http/request-identity.ts';
import { claimOf, ownerNamed, ownerNameOf, personNameOf, textsOf } from '../console/oidc/sign-in.ts';
import { keyWithoutSecret } from '../keys/key-without-secret.ts';
import { codeOf, IssuerKeys, SKEW_SECONDS } from './issuer-keys.ts';

const MOST_KNOWN = 10_000;
/** Keys that are revoked and people who are blocked have no access after this long. */
const CHECKED_EACH_MS = 1_000;
const LONGEST_TOKEN = 8_192;
const FORM = /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*$/;

/** Whose request it is. */
export interface TokenCaller {
  readonly key: KeyRecord;
  readonly user: string;
}

interface Known extends TokenCaller {
  readonly person: { readonly issuer: string; readonly subject: string };
  readonly endsAt: number;
  key: KeyRecord;
  isBlocked: boolean;
  checkedAt: number;
  checking: Promise<void> | undefined;
}

export interface CallerTokensParts {
  readonly issuers: readonly TokenIssuer[];
  readonly store: Pick<Store, 'keys' | 'owners' | 'people'>;
  readonly guesses: ApiKeyAuthenticator['guesses'];
  readonly now: () => number;
  readonly log: Log;
}

/** Finds the callers of tokens; a token is known by its hash until it ends. */
export class CallerTokens {
  readonly #parts: CallerTokensParts;
  readonly #issuers: readonly { readonly settings: TokenIssuer; readonly keys: IssuerKeys }[];
  readonly #known = new LRUCache<string, Known>(atMost(MOST_KNOWN));

  constructor(parts: CallerTokensParts) {
    this.#parts = parts;
    this.#issuers = parts.issuers.map((settings) => ({ settings, keys: new IssuerKeys(settings, parts.now) }));
  }

  /** Whether a text has the form of a token; keys have not. */
  isToken(text: string): boolean {
    return text.length <= LONGEST_TOKEN && FORM.test(text);
  }

  /**
   * Throws `unauthenticated`, in its place `rate_limited` where the address has sent many that nobody here issued, `forbidden` for a token
   * without rights, and `unavailable` while the keys of its issuer cannot be read. No message has anything of the token's that it did not prove.
   */
  async find(token: string, address: string | undefined): Promise<TokenCaller> {
    const hash = hashKey(token);
    const { now } = this.#parts;
    let known = this.#known.get(hash);
    if (known === undefined) {
      known = await this.#verify(token, address);
      this.#known.set(hash, known);
    } else if (now() >= known.endsAt) {
      this.#known.delete(hash);
      throw refusal(EXPIRED);
    } else if (now() - known.checkedAt >= CHECKED_EACH_MS) await (known.checking ??= this.#check(known));
    if (known.isBlocked)
      throw new GatewayError('forbidden', 'the user of the token is blocked; ask the operator of this gateway');
    if (isKeyOver(known.key, now()))
      throw new GatewayError('forbidden', `the rights '${known.key.name}' of the token's owner were revoked`);
    return known;
  }

  async #check(known: Known): Promise<void> {
    const { store, now } = this.#parts;
    try {
      const [key, blockedAt] = await Promise.all([store.keys.get(known.key.id), store.people.blockedAt(known.person)]);
      if (key !== undefined) known.key = key;
      known.isBlocked = blockedAt !== undefined;
      known.checkedAt = now();
    } finally {
      known.checking = undefined;
    }
  }

  async #verify(token: string, address: string | undefined): Promise<Known> {
    const { guesses } = this.#parts;
    const [issuer, claims] = await this.#claimsOf(token).catch((error: unknown) => {
      const { reason, isForged } = faultOf(error) ?? {};
      if (reason === undefined) throw error;
      if (isForged !== true) throw refusal(reason);
      const isOver = guesses.isOver(address);
      guesses.count(address);
      throw isOver ? guesses.refusal(address) : refusal(reason);
    });
    return this.#callerOf(issuer, claims);
  }

  async #claimsOf(token: string): Promise<readonly [TokenIssuer, JsonObject]> {
    const said = unprovenClaims(token);
    const audiences = textsOf(said['aud']);
    const ofIssuer = this.#issuers.filter(({ settings }) => settings.issuer === said['iss']);
    const found =
      ofIssuer.find(({ settings }) => settings.audiences.some((each) => audiences.includes(each))) ?? ofIssuer[0];
    if (found === undefined) throw new TokenFault('its issuer is none of this gateway’s', true);
    return [found.settings, await found.keys.verify(token)];
  }

  async #callerOf(issuer: TokenIssuer, claims: JsonObject): Promise<Known> {
    const { store, now } = this.#parts;
    const user = boundedText(claimOf(claims, issuer.claims.user));
    if (user === undefined) throw forbidden(`the token has no text in the claim '${issuer.claims.user}'`);
    const rights = rightsOf(issuer, claims);
    const owner = await this.#ownerOf(issuer, claims);
    const key = await keyWithoutSecret(
      {
        // The names of rights differ in the whole of callers.jwt.
        hash: `jwt:${rights.name}:${owner.id}`,
        name: `tokens: ${rights.name}`,
        hint: 'token',
        ownerId: owner.id,
        group: rights.group ?? owner.group,
        models: rights.models,
        limits: rights.limits,
      },
      { store, now },
    );
    const subject = typeof claims['sub'] === 'string' ? claims['sub'] : user;
    const person = { issuer: issuer.issuer, subject: boundedText(subject) ?? user };
    const { blockedAt } = await store.people.called(
      { ...person, name: personNameOf(claims) || user, role: 'member', ownerId: owner.id },
      now(),
    );
    await store.keys.touch(new Map([[key.id, now()]]));
    const endsAt = (Number(claims['exp']) + SKEW_SECONDS) * 1000;
    return { key, user, person, endsAt, isBlocked: blockedAt !== undefined, checkedAt: now(), checking: undefined };
  }

  async #ownerOf(issuer: TokenIssuer, claims: JsonObject): Promise<OwnerRecord> {
    const { owners } = this.#parts.store;
    const { claims: names, owner: usual, createOwners, creditLimit } = issuer;
    const named = names.owner === undefined ? undefined : ownerNameOf(claims, names.owner);
    if (named === undefined) {
      const found =
        typeof usual === 'string'
          ? await ownerNamed({ owners }, usual)
          : usual === undefined
            ? undefined
            : await owners.get(usual);
      if (found !== undefined) return found;
      throw forbidden(
        names.owner === undefined
          ? 'the owner that callers.jwt names does not exist'
          : `the token names no single owner in the claim '${names.owner}'`,
      );
    }
    const found = await ownerNamed({ owners }, named);
    if (found !== undefined) return found;
    const name = named.trim();
    if (!createOwners || name === '' || name.length > LONGEST_OWNER)
      throw forbidden(`the claim '${names.owner ?? ''}' names no single owner of this gateway`);
    const organization =
      names.organization === undefined ? undefined : boundedText(claimOf(claims, names.organization));
    const made = { name, group: 'default', ...present({ creditLimit, organization }) };
    this.#parts.log.info({ owner: name }, 'an owner is created, as a token names it');
    return owners.firstNamed(made, this.#parts.now());
  }
}

const LONGEST_OWNER = 100;
const EXPIRED = 'the token has expired; get a new one from its issuer';

/** A token that is not taken: why, and whether somebody may have made it up. */
class TokenFault extends Error {
  readonly isForged: boolean;

  constructor(reason: string, isForged: boolean) {
    super(`the token is not taken: ${reason}`);
    this.isForged = isForged;
  }
}

/** What a token says before its signature is checked: only good to look its issuer up. */
function unprovenClaims(token: string): JsonObject {
  try {
    const read: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    if (isJsonObject(read)) return read;
  } catch {
    // As one that is no object.
  }
  throw new TokenFault('it is malformed', true);
}

/** The first that one of the token's roles opens. */
function rightsOf({ rights, claims: { roles } }: TokenIssuer, claims: JsonObject): TokenRights {
  const has = roles === undefined ? [] : textsOf(claimOf(claims, roles));
  const found = rights.find((each) => each.roles === undefined || each.roles.some((role) => has.includes(role)));
  if (found === undefined) throw forbidden(`no role in the claim '${roles ?? ''}' of the token opens this gateway`);
  return found;
}

function faultOf(error: unknown): { readonly reason: string; readonly isForged: boolean } | undefined {
  if (error instanceof TokenFault) return { reason: error.message, isForged: error.isForged };
  const claim = error instanceof Error && 'claim' in error ? error.claim : undefined;
  switch (codeOf(error)) {
    case 'ERR_JWT_EXPIRED':
      return { reason: EXPIRED, isForged: false };
    case 'ERR_JWT_CLAIM_VALIDATION_FAILED':
      return { reason: CLAIM_FAULTS[String(claim)] ?? 'the token is not taken: a claim is not valid', isForged: false };
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
      return { reason: 'the token is not taken: its algorithm is not one that callers.jwt allows', isForged: true };
    case 'ERR_JWKS_NO_MATCHING_KEY':
    case 'ERR_JWKS_MULTIPLE_MATCHING_KEYS':
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
      return { reason: 'the token is not taken: no key of its issuer signed it', isForged: true };
    default:
      return codeOf(error)?.startsWith('ERR_J') === true
        ? { reason: 'the token is not taken: it is malformed', isForged: true }
        : undefined;
  }
}

/** Of tokens that their issuer did sign. */
const CLAIM_FAULTS: Readonly<Record<string, string>> = {
  aud: 'the token is for another audience; get one for the audience of this gateway from its issuer',
  nbf: 'the token is not valid yet; compare the clocks of this gateway and of its issuer',
  exp: 'the token has no end (exp); get one that ends from its issuer',
};

/** The first words are those of an unknown key: some clients tell a wrong key by them, whatever the status says. */
function refusal(reason: string): GatewayError {
  return new GatewayError('unauthenticated', `Incorrect API key provided: ${reason}`);
}

function forbidden(message: string): GatewayError {
  return new GatewayError('forbidden', message);
}
