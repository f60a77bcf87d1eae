/** What the claims of a provider mean here: who somebody is, in which role, and whose things they see. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ConsoleRole } from '@model-gateway/core';
import type { SingleSignOn } from '../../../config/single-sign-on.ts';
import { SignInFault } from './fault.ts';

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

function textsOf(claim: Json | undefined): readonly string[] {
  const items = Array.isArray(claim) ? claim : [claim];
  return items.filter((item): item is string => typeof item === 'string' && item !== '');
}
