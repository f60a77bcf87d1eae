/** Counting input tokens without an answer: the vendor's own count where it has one, a local estimate marked as such elsewhere. Free of charge. */
import { GatewayError, type DialectName } from '@model-gateway/contracts';
import { dialects, forwardRequest } from '@model-gateway/translate';
import { findModel, offersFor, type ModelRow, type Offer } from '../../catalogue.ts';
import type { RouteCandidate } from '../../routing/plan-route.ts';
import { sharesWire } from './ask.ts';
import { estimateTokens } from './billed-usage.ts';
import { planChat } from './routed.ts';
import { targetOf } from './plan.ts';
import type { ChatCall, ChatParts } from './types.ts';
import { createVendorState, type VendorState } from './vendor-state.ts';

export interface TokenCount {
  /** JSON in the caller's dialect. */
  readonly body: Uint8Array | string;
  readonly estimated: boolean;
  readonly accountId: number | undefined;
}
export type CountCall = Pick<ChatCall, 'caller' | 'dialect' | 'body' | 'model' | 'headers'>;

/** Makes the counter; throws GatewayError as a chat call would. */
export function createTokenCounter(parts: ChatParts): (call: CountCall) => Promise<TokenCount> {
  const state = createVendorState(parts);
  return async (call) => {
    const row = findModel(parts.catalogue(), call.model, ['chat']);
    const own = dialects[call.dialect].counting;
    if (own === undefined) throw new GatewayError('not_found', 'this format has no call that counts tokens');
    const candidates = await candidatesFor(parts, state, call, row);
    // What is forwarded is the vendor's to judge; of anything else it is said what is wrong before anybody is asked.
    if (!candidates.some(({ offer }) => countingDialect(offer, call.dialect) === call.dialect))
      own.decodeRequest(call.body.json, { model: call.model });
    for (const { row: asked, offer } of candidates) {
      try {
        const body = await ask(parts, call, { row: asked, offer });
        if (body !== undefined) return { body, estimated: false, accountId: offer.account.id };
      } catch (error) {
        if (!(error instanceof GatewayError) || !(error.retryElsewhere || hasNoCount(error))) throw error;
      }
    }
    const tokens = estimateTokens(call.body.json);
    return { body: JSON.stringify(own.encodeReply(tokens)), estimated: true, accountId: undefined };
  };
}

/** The vendor's count in the caller's dialect: as it came where they speak the same. Undefined of a vendor that counts nothing. */
async function ask(
  parts: ChatParts,
  call: CountCall,
  { row, offer }: Pick<RouteCandidate, 'row' | 'offer'>,
): Promise<Uint8Array | string | undefined> {
  const own = dialects[call.dialect].counting;
  const name = countingDialect(offer, call.dialect);
  const counting = name === undefined ? undefined : dialects[name].counting;
  const { adapter, upstream } = parts.openOffer(offer, call.caller.signal);
  if (own === undefined || name === undefined || counting === undefined || adapter.chat === undefined) return undefined;
  const target = targetOf(row, offer);
  const common = { dialect: name, purpose: 'count', model: offer.model, stream: false } as const;
  const { settings } = upstream.account;
  if (name === call.dialect) {
    const { bytes: body } = forwardRequest(dialects[name], call.body, { target, stream: false });
    const request = adapter.chat.request({ ...common, body, headers: call.headers, settings });
    const reply = await upstream
      .send(request)
      .catch((error: unknown) => Promise.reject(sharesWire(error, name) as Error));
    counting.decodeReply(reply.json ?? null);
    return reply.body;
  }
  const { body, headers = {} } = counting.encodeRequest(
    own.decodeRequest(call.body.json, { model: call.model }),
    target,
  );
  const bytes = Buffer.from(JSON.stringify(body));
  const { json } = await upstream.send(adapter.chat.request({ ...common, body: bytes, headers, settings }));
  return JSON.stringify(own.encodeReply(counting.decodeReply(json ?? null)));
}

/** Whom a request with this body would go to: a count is that of the model that would answer. */
async function candidatesFor(
  parts: ChatParts,
  state: VendorState,
  call: CountCall,
  row: ModelRow,
): Promise<readonly Pick<RouteCandidate, 'row' | 'offer'>[]> {
  if (row.route === undefined) {
    const offers = await state.reachable(call, offersFor(parts.catalogue(), row, call.caller.mode));
    return parts.router.order(offers).map((offer) => ({ row, offer }));
  }
  const request = () => dialects[call.dialect].decodeRequest(call.body.json, { model: call.model, stream: false });
  const { candidates } = planChat(parts, call, row, request);
  const kept = new Set(
    await state.reachable(
      call,
      candidates.map(({ offer }) => offer),
    ),
  );
  return candidates.filter(({ offer }) => kept.has(offer));
}

/** Servers of a vendor's wire may have no such call. */
function hasNoCount({ details }: GatewayError): boolean {
  return details.param === undefined && (details.vendorStatus === 404 || details.vendorStatus === 405);
}

function countingDialect(offer: Offer, wanted: DialectName): DialectName | undefined {
  const able: readonly DialectName[] = offer.dialects.filter((name) => dialects[name].counting?.byVendors === true);
  return able.includes(wanted) ? wanted : able[0];
}
