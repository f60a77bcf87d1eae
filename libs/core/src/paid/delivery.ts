/** How a line of a batch reaches its vendor: at once, later with other lines, or not any more because its answer has come. */
import { GatewayError } from '@model-gateway/contracts';
import type { ProviderAdapter, Upstream, UpstreamReply, UpstreamRequest } from '@model-gateway/provider-kit';
import type { ModelRow, Offer } from '../catalogue.ts';

/** Whom a request is for. */
export interface DeliveryTarget {
  readonly offer: Offer;
  readonly row: ModelRow;
  readonly adapter: ProviderAdapter;
  readonly upstream: Upstream;
  /** It asks for nothing that changes its price. */
  readonly isPlain: boolean;
}

export interface LineDelivery {
  /** Whose answer has come: nobody else is asked, and no place of the account is taken. */
  readonly answeredBy: (Pick<Offer, 'model'> & { readonly accountId: number }) | undefined;
  /** The request was kept to be sent with others; nothing was answered. */
  readonly isHandedOver: boolean;
  /** Sends it, gives the answer that has come, or throws `HandedOver`. */
  send(request: UpstreamRequest, to: DeliveryTarget): Promise<UpstreamReply>;
}

/** The request is sent later: its way ends here, and it comes again with its answer. */
export class HandedOver extends GatewayError {
  constructor() {
    super('unavailable', 'the request is sent with others');
  }
}

/** The upstream of a request that has a way of its own; as it is without one. */
export function delivered<Opened extends { readonly adapter: ProviderAdapter; readonly upstream: Upstream }>(
  delivery: LineDelivery | undefined,
  to: Pick<DeliveryTarget, 'offer' | 'row' | 'isPlain'>,
  opened: Opened,
): Opened {
  if (delivery === undefined) return opened;
  const target = { ...to, ...opened };
  return { ...opened, upstream: { ...opened.upstream, send: (request) => delivery.send(request, target) } };
}

/** Those that may be asked: of a request whose answer has come only whose answer it is. */
export function askable<C extends { readonly offer: Offer }>(
  delivery: LineDelivery | undefined,
  candidates: readonly C[],
): readonly C[] {
  const by = delivery?.answeredBy;
  if (by === undefined) return candidates;
  return candidates.filter(({ offer }) => offer.account.id === by.accountId && offer.model === by.model);
}
