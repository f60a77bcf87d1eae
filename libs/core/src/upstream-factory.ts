import { GatewayError } from '@model-gateway/contracts';
import { openUpstream, type ProviderAdapter, type UpstreamOptions } from '@model-gateway/provider-kit';
import type { GatewayAccount, Offer } from './catalogue.ts';
import type { OpenAccount, OpenOffer, Parts } from './parts.ts';
import { perObject } from './per-object.ts';
import type { Router } from './routing.ts';

type OfferOptions = UpstreamOptions & { readonly adapter: ProviderAdapter };

/** Ties offers and accounts to upstream handles. */
export function createUpstreamFactory(
  parts: Pick<Parts, 'adapters' | 'pools' | 'untrustedFetcher' | 'now' | 'tracing'> & {
    readonly router?: Pick<Router, 'heard'>;
  },
): {
  readonly openOffer: OpenOffer;
  readonly openAccount: OpenAccount;
} {
  const adapterOf = (account: GatewayAccount): ProviderAdapter => {
    const adapter = parts.adapters.get(account.vendor);
    if (adapter === undefined) throw new GatewayError('internal', 'an account names a vendor that has no adapter');
    return adapter;
  };
  const { tracing } = parts;
  const traceParent = tracing === undefined ? undefined : () => tracing.traceParent();
  const common = (account: GatewayAccount, adapter: ProviderAdapter) => ({
    account,
    adapter,
    deadlines: account.deadlines,
    ...(account.headers !== undefined && { headers: account.headers }),
    pools: parts.pools,
    untrustedFetcher: parts.untrustedFetcher,
    now: parts.now,
    ...(traceParent !== undefined && account.propagatesTrace === true && { traceParent }),
  });
  const hear = (adapter: ProviderAdapter, offer: Offer, headers: Readonly<Record<string, string>>): void => {
    const limits = adapter.readLimits?.(headers, parts.now());
    if (limits !== undefined) parts.router?.heard(offer, limits);
  };
  const optionsOf = perObject((offer: Offer): OfferOptions => {
    const { account, deadlines, headers, model, quirks } = offer;
    const adapter = adapterOf(account);
    return {
      ...common(account, adapter),
      adapter,
      ...(deadlines !== undefined && { deadlines }),
      ...(headers !== undefined && { headers }),
      model,
      quirks,
      ...(account.budget?.learns === true && { heard: (headers) => hear(adapter, offer, headers) }),
    };
  });
  return {
    openOffer(offer, signal, answered) {
      const options = optionsOf(offer);
      const { adapter } = options;
      const own = { ...options, ...(signal !== undefined && { signal }), ...(answered !== undefined && { answered }) };
      return { adapter, upstream: openUpstream(own) };
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
