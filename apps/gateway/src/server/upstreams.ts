/** The ways out: to vendors, and to addresses that nobody vouches for. */
import {
  createRouter,
  type GatewayAccount,
  type Log,
  type Parts,
  type Router,
  type SharedHealth,
  type SharedUse,
} from '@model-gateway/core';
import { createUntrustedFetcher, createUpstreamPools, type UntrustedFetcher } from '@model-gateway/provider-kit';
import { adapters } from '../adapters.ts';
import { createHealthLog } from './health-log.ts';
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
  readonly accounts: () => readonly Pick<GatewayAccount, 'id' | 'name' | 'twin'>[];
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

function openUntrustedFetcher(
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
