/** Callers with tokens of the company's own identity provider: the form of `callers`, and what is made of it (docs/guides/caller-tokens.md). */
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import type { KeyLimits } from '@model-gateway/core';
import * as z from 'zod';
import { checkedLimits, type LimitName } from '../resources/keys/limits.ts';
import { limitSettings } from './limit-settings.ts';
import { asNumber, dollars, flag, name, type count } from './scalars.ts';
import { isSafeAddress } from './single-sign-on.ts';

/** Whoever has the public keys can check what they sign, and can sign nothing. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;
const USUAL_USER = 'sub';
const USUAL_RIGHTS = 'everybody';
const DEFAULT_OWNER = 1;
const ADDRESS_FORM = 'expected an https address; http for this machine alone';
const text = z.string().min(1).max(500);

/** One issuer whose tokens are taken. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Absent: as the issuer's discovery document says. */
  readonly jwksUri: string | undefined;
  readonly algorithms: readonly string[];
  readonly claims: {
    readonly user: string;
    readonly owner: string | undefined;
    readonly organization: string | undefined;
    readonly roles: string | undefined;
  };
  /** Who pays where no claim says it, by name or number; absent: nobody. */
  readonly owner: string | number | undefined;
  readonly createOwners: boolean;
  /** Of created owners, quota units; absent: no limit. */
  readonly creditLimit: number | undefined;
  readonly rights: readonly TokenRights[];
}

/** What the holder of a token may do, as a key of the owner would. */
export interface TokenRights {
  readonly name: string;
  /** Any of them is enough; absent: everybody. */
  readonly roles: readonly string[] | undefined;
  readonly models: readonly string[];
  /** Absent: the owner's. */
  readonly group: string | undefined;
  readonly limits: KeyLimits;
}

/** The form of `callers`; `limits` is that of a key's limits. */
export function callersSchema(limits: z.ZodType<{ readonly [Name in LimitName]?: z.infer<typeof count> | undefined }>) {
  const issuer = z
    .strictObject({
      issuer: text,
      audience: z.union([text, z.array(text).min(1)]),
      jwks_uri: z.string().refine(isSafeAddress, ADDRESS_FORM).optional(),
      algorithms: z.array(z.enum(ALGORITHMS)).min(1).optional(),
      claims: z
        .strictObject({
          user: name.optional(),
          owner: name.optional(),
          organization: name.optional(),
          roles: name.optional(),
        })
        .optional(),
      owner: z.preprocess(asNumber, z.union([name, z.number().int().positive()])).optional(),
      create_owners: flag.optional(),
      credit_limit: z.preprocess(asNumber, z.union([z.literal('none'), dollars])).optional(),
      rights: z
        .array(
          z.strictObject({
            name,
            roles: z.array(text).min(1).optional(),
            models: z.array(name).min(1).optional(),
            group: name.optional(),
            limits: limits.optional(),
          }),
        )
        .min(1)
        .optional(),
    })
    .superRefine((row, context) => {
      const fault = (path: (string | number)[], message: string): void =>
        context.addIssue({ code: 'custom', path, message });
      if (row.jwks_uri === undefined && !isSafeAddress(row.issuer))
        fault(['issuer'], `${ADDRESS_FORM}, because its keys are looked up there; or give jwks_uri`);
      if (row.create_owners === true && row.claims?.owner === undefined)
        fault(['create_owners'], 'claims.owner is missing: it is the claim that names the owner to create');
      for (const [at, { roles }] of (row.rights ?? []).entries())
        if (roles !== undefined && row.claims?.roles === undefined)
          fault(['rights', at, 'roles'], 'claims.roles is missing: it is the claim with the roles');
      const names = (row.rights ?? []).map((each) => each.name);
      if (new Set(names).size < names.length) fault(['rights'], 'two of them have the same name');
    });
  const issuers = z
    .array(issuer)
    .min(1)
    .superRefine((rows, context) => {
      // Each name with an owner is one key, whose limits must not be those of another row.
      const places = new Map<string, number>();
      for (const [at, { rights = [{ name: USUAL_RIGHTS }] }] of rows.entries())
        for (const { name: each } of rights) {
          const before = places.get(each);
          if (before === undefined) places.set(each, at);
          else if (before !== at)
            context.addIssue({
              ...{ code: 'custom', path: [at, 'rights'] },
              message: `callers.jwt[${before}].rights has the name '${each}', too${each === USUAL_RIGHTS ? ', which is the default' : ''}: write rights with other names in one of them, such as [{ name: ${each}-${at + 1} }]`,
            });
        }
    });
  return z.strictObject({ jwt: issuers.optional() });
}

const PATH = 'callers.jwt[]';

/** By their paths, as in the table of all settings. */
export const CALLER_SETTINGS = {
  [`${PATH}.issuer`]: { about: 'the `iss` of its tokens, exactly' },
  [`${PATH}.audience`]: { about: 'the `aud` that tokens must have, or a list of which one is enough' },
  [`${PATH}.jwks_uri`]: {
    about: 'where the issuer publishes its public keys',
    default: 'as `/.well-known/openid-configuration` of the issuer says',
  },
  [`${PATH}.algorithms`]: { about: 'the signatures to accept', default: 'every asymmetric algorithm' },
  [`${PATH}.claims.user`]: { about: 'the claim that names the user; dots lead into objects', default: USUAL_USER },
  [`${PATH}.claims.owner`]: { about: 'the claim that names the owner who pays', default: 'none' },
  [`${PATH}.claims.organization`]: { about: 'the claim with the organization of a new owner', default: 'none' },
  [`${PATH}.claims.roles`]: { about: 'the claim with the roles that `rights` name', default: 'none' },
  [`${PATH}.owner`]: {
    about: 'who pays if no claim names an owner, by name or number',
    default: '1; none if `claims.owner` is set',
  },
  [`${PATH}.create_owners`]: { about: 'whether an owner that does not exist is created', default: false },
  [`${PATH}.credit_limit`]: {
    about: 'of created owners: how far below zero the balance may go, in US dollars, or `none`',
    default: 0,
  },
  [`${PATH}.rights[].name`]: { about: 'a name, which is that of the key in usage and in the list of keys' },
  [`${PATH}.rights[].roles`]: { about: 'values of the claim `roles`, any of which is enough', default: 'everybody' },
  [`${PATH}.rights[].models`]: { about: 'model codes to open; `*` stands for any characters', default: 'all' },
  [`${PATH}.rights[].group`]: { about: 'the group, which sets the price factor', default: 'the owner’s' },
  ...limitSettings(`${PATH}.rights[].limits`, 'of all users of an owner together: '),
};

/** What is made of a form that was checked. */
export function tokenIssuersOf(callers: z.infer<ReturnType<typeof callersSchema>> | undefined): readonly TokenIssuer[] {
  return (callers?.jwt ?? []).map((row) => ({
    issuer: row.issuer,
    audiences: typeof row.audience === 'string' ? [row.audience] : row.audience,
    jwksUri: row.jwks_uri,
    algorithms: row.algorithms ?? ALGORITHMS,
    claims: {
      user: row.claims?.user ?? USUAL_USER,
      owner: row.claims?.owner,
      organization: row.claims?.organization,
      roles: row.claims?.roles,
    },
    owner: row.owner ?? (row.claims?.owner === undefined ? DEFAULT_OWNER : undefined),
    createOwners: row.create_owners ?? false,
    creditLimit: row.credit_limit === 'none' ? undefined : Math.round((row.credit_limit ?? 0) * UNITS_PER_DOLLAR),
    rights: (row.rights ?? [{ name: USUAL_RIGHTS }]).map((each) => ({
      name: each.name,
      roles: each.roles,
      models: each.models ?? ['*'],
      group: each.group,
      limits: checkedLimits(each.limits ?? {}),
    })),
  }));
}
