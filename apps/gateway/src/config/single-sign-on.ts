/** Signing in to the console with an identity provider: the form of `console.oidc`, and what is made of it (docs/guides/console.md). */
import type { KeyLimits } from '@model-gateway/core';
import * as z from 'zod';
import { checkedLimits, type LimitName } from '../resources/keys/limits.ts';
import type { ConfigFault } from './fault.ts';
import { name, type count } from './scalars.ts';

const DEFAULT_SCOPES = ['openid', 'profile', 'email'];
const ISSUER_FORM = 'expected the https address of the provider without query or fragment; http for this machine alone';
const ADDRESS_FORM = 'expected an https address such as https://gateway.example.com; http for this machine alone';
const values = z.array(z.string().min(1).max(200)).min(1);

export interface SingleSignOn {
  /** What the button says. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Absent of public clients. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  /** Where browsers reach the console; absent: the gateway's public address. */
  readonly publicUrl: string | undefined;
  readonly roles: { readonly claim: string } & Readonly<Record<'admin' | 'owner' | 'member', readonly string[]>>;
  readonly ownerClaim: string | undefined;
  /** What people may spend of their owner's money; absent: nothing. */
  readonly playground: PlaygroundTerms | undefined;
}

export interface PlaygroundTerms {
  readonly models: readonly string[];
  /** Absent: the owner's. */
  readonly group: string | undefined;
  readonly limits: KeyLimits;
}

/** Whether a text is an address that secrets may be sent to: by https, or on this very machine. */
export function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

/** The form of `console.oidc`; `limits` is that of a key's limits. */
export function singleSignOnSchema(
  limits: z.ZodType<{ readonly [Name in LimitName]?: z.infer<typeof count> | undefined }>,
) {
  return z
    .strictObject({
      name: name.optional(),
      issuer: z.string().refine((text) => isSafeAddress(text) && !/[?#]/.test(text), ISSUER_FORM),
      client_id: z.string().min(1).max(500),
      client_secret: z.string().min(1).optional(),
      scopes: z
        .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'expected a word without spaces'))
        .refine((scopes) => scopes.includes('openid'), 'expected openid among them')
        .optional(),
      public_url: z
        .string()
        .refine((text) => isSafeAddress(text) && new URL(text).pathname === '/' && !/[?#]/.test(text), ADDRESS_FORM)
        .optional(),
      roles: z.strictObject({
        claim: name,
        admin: values.optional(),
        owner: values.optional(),
        member: values.optional(),
      }),
      owner_claim: name.optional(),
      playground: z
        .strictObject({ models: z.array(name).min(1).optional(), group: name.optional(), limits: limits.optional() })
        .optional(),
    })
    .superRefine(({ roles: { admin, owner, member }, owner_claim }, context) => {
      const fault = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
      if (admin === undefined && owner === undefined && member === undefined)
        fault(
          ['roles'],
          'expected at least one of admin, owner and member, each with a list of claim values; otherwise nobody could sign in',
        );
      if ((owner !== undefined || member !== undefined) && owner_claim === undefined)
        fault(
          [],
          'owner_claim is missing: it is the claim that names the owner of people with the roles owner and member',
        );
    });
}

/** What the form of `console.oidc` alone does not show: codes and sessions would travel in clear. */
export function singleSignOnFaults(file: {
  readonly console?: { readonly oidc?: { readonly public_url?: string | undefined } | undefined } | undefined;
  readonly server?: { readonly public_url?: string | undefined } | undefined;
}): readonly ConfigFault[] {
  const oidc = file.console?.oidc;
  const address = file.server?.public_url;
  if (oidc === undefined || oidc.public_url !== undefined || address === undefined || isSafeAddress(address)) return [];
  return [{ path: ['server', 'public_url'], message: `${ADDRESS_FORM}, because console.oidc sends browsers there` }];
}

/** What is made of a form that was checked. */
export function singleSignOnOf(
  row: z.infer<ReturnType<typeof singleSignOnSchema>> | undefined,
): SingleSignOn | undefined {
  if (row === undefined) return undefined;
  const { roles, playground } = row;
  return {
    name: row.name ?? new URL(row.issuer).hostname,
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: row.client_secret,
    scopes: row.scopes ?? DEFAULT_SCOPES,
    publicUrl: row.public_url?.replace(/\/+$/, ''),
    roles: {
      claim: roles.claim,
      admin: roles.admin ?? [],
      owner: roles.owner ?? [],
      member: roles.member ?? [],
    },
    ownerClaim: row.owner_claim,
    playground: playground && {
      models: playground.models ?? ['*'],
      group: playground.group,
      limits: checkedLimits(playground.limits ?? {}),
    },
  };
}
