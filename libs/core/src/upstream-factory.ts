import { GatewayError } from '@model-gateway/contracts';
import { openUpstream, type ProviderAdapter } from '@model-gateway/provider-kit';
import type { GatewayAccount } from './catalogue.ts';
import type { OpenAccount, OpenOffer, Parts } from './parts.ts';

/** Ties offers and accounts to upstream handles. */
export function createUpstreamFactory(parts: Pick<Parts, 'adapters' | 'pools' | 'untrustedFetcher' | 'now'>): {
  readonly openOffer: OpenOffer;
  readonly openAccount: OpenAccount;
} {
  const adapterOf = (account: GatewayAccount): ProviderAdapter => {
    const adapter = parts.adapters.get(account.vendor);
    if (adapter === undefined) throw new GatewayError('internal', 'an account names a vendor that has no adapter');
    return adapter;
  };
  const common = (account: GatewayAccount, adapter: ProviderAdapter) => ({
    account,
    adapter,
    deadlines: account.deadlines,
    pools: parts.pools,
    untrustedFetcher: parts.untrustedFetcher,
    now: parts.now,
  });
  return {
    openOffer(offer, signal) {
      const adapter = adapterOf(offer.account);
      return {
        adapter,
        upstream: openUpstream({
          ...common(offer.account, adapter),
          model: offer.model,
          quirks: offer.quirks,
          ...(signal !== undefined && { signal }),
        }),
      };
    },
    openAccount(account, upstreamModel, signal) {
      const adapter = adapterOf(account);
      return {
        adapter,
        upstream: openUpstream({
          ...common(account, adapter),
          model: upstreamModel,
          quirks: {},
          ...(signal !== undefined && { signal }),
        }),
      };
    },
  };
}
