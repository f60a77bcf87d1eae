/** The ways out: to vendors, and to addresses that nobody vouches for. */
import { createRouter, type Parts, type Router } from '@model-gateway/core';
import { createUntrustedFetcher, createUpstreamPools, type UntrustedFetcher } from '@model-gateway/provider-kit';
import { adapters } from '../adapters.ts';

export type Upstreams = Pick<Parts, 'adapters' | 'router' | 'pools' | 'untrustedFetcher'>;

export interface UpstreamsOptions {
  readonly now: () => number;
  readonly random: () => number;
  /** Addresses that are opened although they are private; asked for at the first use, when the gateway knows its own. */
  readonly allowPrivate: () => readonly string[];
}

/** Opens nothing yet: connections are made when they are needed. */
export function openUpstreams(
  resources: AsyncDisposableStack,
  { now, random, allowPrivate }: UpstreamsOptions,
): Upstreams {
  const router: Router = createRouter({ now, random });
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
