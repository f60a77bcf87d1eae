/** The ways out: to vendors, and to addresses that nobody vouches for. */
import {
  createRouter,
  type GatewayAccount,
  type Log,
  type Parts,
  type Router,
  type SharedHealth,
  type SharedUse,
  type HealthNews,
} from '@model-gateway/core';
import { createUntrustedFetcher, createUpstreamPools, type UntrustedFetcher } from '@model-gateway/provider-kit';
import { adapters } from '../adapters.ts';
import { shareHealth, shareUse } from './shared.ts';

export type Upstreams = Pick<Parts, 'adapters' | 'router' | 'pools' | 'untrustedFetcher'>;

export interface UpstreamsOptions {
  readonly now: () => number;
  readonly random: () => number;
  /** Where other processes are told which accounts cool, and tell it. */
  readonly health: SharedHealth | undefined;
  /** Where other processes are told what accounts with a budget are used for, and tell it. */
  readonly use: SharedUse | undefined;
  /** This process' part of an account's calls at once; all of them when absent. */
  readonly shareOf: ((most: number) => number) | undefined;
  /** How many places in a turn owners of a group have in front of a full account. */
  readonly weightOf: (group: string) => number;
  readonly accounts: () => readonly Pick<GatewayAccount, 'id' | 'name' | 'twin' | 'member'>[];
  readonly log: Log;
  /** Addresses that are opened although they are private; asked for at the first use, when the gateway knows its own. */
  readonly allowPrivate: () => readonly string[];
}

/** Opens nothing yet: connections are made when they are needed. */
export function openUpstreams(
  resources: AsyncDisposableStack,
  { now, random, health, use, shareOf, weightOf, allowPrivate, accounts, log }: UpstreamsOptions,
): Upstreams {
  const tellOperators = createHealthLog({ accounts, log, now });
  const router: Router = createRouter({
    now,
    random,
    tell: (news) => {
      health?.tell(news);
      tellOperators(news);
    },
    ...(use !== undefined && { tellUse: (used) => use.tell(used) }),
    ...(shareOf !== undefined && { shareOf }),
    weightOf,
  });
  shareHealth(health, router);
  shareUse(use, router);
  const untrustedFetcher = openUntrustedFetcher(resources, allowPrivate);
  const pools = createUpstreamPools();
  resources.defer(() => pools.close());
  return { adapters, router, pools, untrustedFetcher };
}

/** A fetcher that is made at its first use, and closed with the server. */
export function openUntrustedFetcher(
  resources: AsyncDisposableStack,
  allowPrivate: UpstreamsOptions['allowPrivate'],
): UntrustedFetcher {
  let made: UntrustedFetcher | undefined;
  const fetcher = (): UntrustedFetcher => (made ??= createUntrustedFetcher({ allowPrivate: allowPrivate() }));
  resources.defer(() => made?.close());
  return {
    fetch: (url, limits, signal, onBehalfOf) => fetcher().fetch(url, limits, signal, onBehalfOf),
    open: (url, options) => fetcher().open(url, options),
    isNeverCalled: (url) => fetcher().isNeverCalled(url),
    close: async () => made?.close(),
  };
}

/** An account that fails and is well by turns is told of once in this time. */
const SAME_AGAIN_MS = 60_000;

type Named = Pick<GatewayAccount, 'id' | 'name' | 'twin' | 'member'>;

function keyOf({ member }: Named): { readonly key?: number } {
  return member === undefined ? {} : { key: member.number };
}

/** `account openai`, `key 2 of account openai` */
function named({ name, member }: Named): string {
  return member === undefined ? `account ${name}` : `key ${member.number} of account ${name}`;
}

export interface HealthLogOptions {
  readonly accounts: () => readonly Pick<GatewayAccount, 'id' | 'name' | 'twin' | 'member'>[];
  readonly log: Log;
  readonly now: () => number;
}

/** Makes what hears of every change of health. */
export function createHealthLog({ accounts, log, now }: HealthLogOptions): (news: HealthNews) => void {
  const told = new Map<string, { readonly code: string; readonly at: number; readonly isWell: boolean }>();
  return ({ accountId, model, coolMs, code = 'upstream_unavailable', message, vendorCode }) => {
    const account = accounts().find(({ id }) => id === accountId);
    // Faults of the twin are asked for.
    if (account === undefined || account.twin) return;
    const key = `${accountId} ${model}`;
    const last = told.get(key);
    if (coolMs <= 0) {
      if (last === undefined || last.isWell) return;
      told.set(key, { ...last, isWell: true });
      log.info({ account: account.name, ...keyOf(account), model }, `${named(account)} has recovered for ${model}`);
      return;
    }
    if (last !== undefined && last.code === code && (!last.isWell || now() - last.at < SAME_AGAIN_MS)) return;
    told.set(key, { code, at: now(), isWell: false });
    log.warn(
      {
        account: account.name,
        ...keyOf(account),
        model,
        code,
        ...(vendorCode !== undefined && { vendor_code: vendorCode }),
      },
      `${named(account)} fails for ${model}: ${message ?? code}; gateway accounts test ${account.name} says why`,
    );
  };
}
