/** Signing in with an identity provider, from the button to the session. Nothing is kept here between the two: the browser carries it, sealed. */
import { randomBytes } from 'node:crypto';
import type { KeyRecord, OwnerRecord, Store, UnknownKeyLimit, ConsoleRole, SignedIn } from '@model-gateway/core';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { SingleSignOn } from '../../../config/single-sign-on.ts';
import type { ConsoleSessions, OpenSession } from '../sessions.ts';
import { ATTEMPT_MS, isStateOf, readAttempt, type Attempt } from './attempt.ts';
import { consoleKeyOf } from './console-key.ts';
import { SignInFault } from './fault.ts';
import { createIdentityProvider, type Identified } from './provider.ts';
import { CONSOLE_MOUNT } from '../../../http/mounts.ts';

const RANDOM_BYTES = 32;

export interface SignInParts {
  readonly settings: SingleSignOn;
  /** What attempts are sealed with; the same in every process. */
  readonly secret: string;
  readonly sessions: Pick<ConsoleSessions, 'begin'>;
  readonly store: Pick<Store, 'keys' | 'owners' | 'people'>;
  /** Attempts that the provider did not confirm, by address: apart from keys, whose guesses keep nobody from signing in. */
  readonly failures: UnknownKeyLimit;
  readonly now: () => number;
}

export interface SignIn {
  readonly name: string;
  /** Where browsers begin. Throws SignInFault `provider_away`. */
  start(returnTo: unknown, redirectUri: string): Promise<{ readonly url: string; readonly attempt: Attempt }>;
  /** Begins the session of who comes back. Throws SignInFault. */
  finish(back: Returned): Promise<{ readonly token: string; readonly session: OpenSession; readonly returnTo: string }>;
  /** Where the browser signs out at the provider, too. */
  signOutUrl(session: OpenSession, returnTo: string): Promise<string | undefined>;
}

export interface Returned {
  /** The address that the browser came back to, with its query. */
  readonly url: URL;
  readonly cookie: string | undefined;
  readonly address: string | undefined;
  readonly client: string | undefined;
}

/** Makes it; the provider is not asked before somebody signs in. */
export function createSignIn({ settings, secret, sessions, store, failures, now }: SignInParts): SignIn {
  const provider = createIdentityProvider(settings, now);

  return {
    name: settings.name,
    async start(returnTo, redirectUri) {
      const attempt = {
        state: randomText(),
        nonce: randomText(),
        verifier: randomText(),
        returnTo: safeReturn(returnTo),
        expiresAt: now() + ATTEMPT_MS,
      };
      return { attempt, url: await provider.authorizationUrl(attempt, redirectUri) };
    },
    async finish({ url, cookie, address, client }) {
      const attempt = readAttempt(cookie, secret, now());
      // Not counted: any page can make browsers come here without a cookie of ours, and the provider is not asked.
      if (attempt === undefined || !isStateOf(attempt, url.searchParams.get('state') ?? ''))
        throw new SignInFault('start_again', 'the browser has no open sign-in attempt with this state');
      if (failures.isOver(address))
        throw new SignInFault('too_many', 'too many invalid attempts came from this network address');
      const found = await provider.identify(attempt, url).catch((error: unknown) => {
        if (error instanceof SignInFault && error.code === 'not_valid') failures.count(address);
        throw error;
      });
      const { key, role, owner } = await rightsOf(found);
      const who = { issuer: settings.issuer, subject: found.subject };
      const person = { ...who, name: personNameOf(found.claims), role };
      const begun = await sessions.begin({
        admin: role === 'admin',
        keyId: key?.id,
        beside: undefined,
        address,
        client,
        person: { ...person, idToken: found.idToken },
      });
      // After the session: a block that comes meanwhile either sees it, or is seen here.
      await notBlocked({ ...person, ...(owner !== undefined && { ownerId: owner.id }) }).catch(
        async (error: unknown) => {
          await store.people.endSessions(who, now());
          throw error;
        },
      );
      return { ...begun, returnTo: attempt.returnTo };
    },
    signOutUrl: async ({ idToken, record }, returnTo) =>
      record.person === undefined ? undefined : provider.signOutUrl(idToken, returnTo),
  };

  /** Notes who came. Whoever is blocked is told so, and nothing more. */
  async function notBlocked(person: SignedIn): Promise<void> {
    const { blockedAt } = await store.people.signedIn(person, now());
    if (blockedAt !== undefined)
      throw new SignInFault('blocked', `${person.name} is blocked since ${new Date(blockedAt).toISOString()}`);
  }

  /** Operators need no owner; without one they have no key. */
  async function rightsOf({ claims }: Identified): Promise<{
    readonly role: ReturnType<typeof roleOf>;
    readonly key: KeyRecord | undefined;
    readonly owner: OwnerRecord | undefined;
  }> {
    const role = roleOf(claims, settings.roles);
    const named = settings.ownerClaim === undefined ? undefined : ownerNameOf(claims, settings.ownerClaim);
    const owner = named === undefined ? undefined : await ownerNamed(store, named);
    if (owner === undefined && role !== 'admin')
      throw new SignInFault(
        'no_owner',
        `the claim '${settings.ownerClaim ?? ''}' names no single owner of this gateway`,
      );
    const key = owner === undefined ? undefined : await consoleKeyOf(owner, settings.playground, { store, now });
    return { role, key, owner };
  }
}

/** By its name alone, a number too: teams of a provider are numbered by somebody else than owners here. */
export async function ownerNamed(
  { owners }: { readonly owners: Pick<Store['owners'], 'named'> },
  name: string,
): Promise<OwnerRecord | undefined> {
  const [owner, ...others] = await owners.named(name);
  return others.length === 0 ? owner : undefined;
}

function randomText(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** The one that opens most comes first. */
const ROLES = ['admin', 'owner', 'member'] as const satisfies readonly ConsoleRole[];
const NAMES = ['email', 'preferred_username', 'name', 'sub'];
const LONGEST_NAME = 200;

/** A claim by its name, or else by the names on the way to it: `realm_access.roles`. */
export function claimOf(claims: JsonObject, path: string): Json | undefined {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<Json | undefined>(
      (found, part) => (isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined),
      claims,
    );
}

/** The highest role that the claim gives. Throws `no_role`. */
export function roleOf(claims: JsonObject, roles: SingleSignOn['roles']): ConsoleRole {
  const values = textsOf(claimOf(claims, roles.claim));
  const role = ROLES.find((each) => roles[each].some((value) => values.includes(value)));
  if (role !== undefined) return role;
  throw new SignInFault('no_role', `the claim '${roles.claim}' has none of the values that console.oidc.roles names`);
}

/** What the claim calls the owner; undefined where it says nothing, or more than one thing. */
export function ownerNameOf(claims: JsonObject, path: string): string | undefined {
  const claim = claimOf(claims, path);
  const [value, ...more] = typeof claim === 'number' ? [String(claim)] : textsOf(claim);
  return more.length > 0 ? undefined : value;
}

/** What people call somebody. */
export function personNameOf(claims: JsonObject): string {
  const [name = ''] = NAMES.flatMap((each) => textsOf(claims[each]));
  return name.slice(0, LONGEST_NAME);
}

/** The texts of a claim that is one, or a list. */
export function textsOf(claim: Json | undefined): readonly string[] {
  const items = Array.isArray(claim) ? claim : [claim];
  return items.filter((item): item is string => typeof item === 'string' && item !== '');
}

const LONGEST = 1_000;
const ANY_ORIGIN = 'https://gateway.invalid';

/** The page that was asked for as path, query and fragment; the first page where it is none of the console's. */
export function safeReturn(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > LONGEST || !/^\/(?![/\\])/.test(asked)) return CONSOLE_MOUNT;
  if (!URL.canParse(asked, ANY_ORIGIN)) return CONSOLE_MOUNT;
  // Read as browsers read it: dots are followed, backslashes are slashes.
  const { origin, pathname, search, hash } = new URL(asked, ANY_ORIGIN);
  const isPage = origin === ANY_ORIGIN && (pathname === CONSOLE_MOUNT || pathname.startsWith(`${CONSOLE_MOUNT}/`));
  return isPage ? `${pathname}${search}${hash}` : CONSOLE_MOUNT;
}
