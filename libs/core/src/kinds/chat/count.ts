/** Counting input tokens without an answer: the vendor's own count where it has one, a local estimate marked as such elsewhere. Free of charge. */
import { GatewayError, type DialectName, type JsonObject } from '@model-gateway/contracts';
import { dialects, forwardRequest } from '@model-gateway/translate';
import { findModel, offersFor, type ModelRow, type Offer } from '../../catalogue.ts';
import type { RouteCandidate } from '../../routing/plan-route.ts';
import { estimateTokens } from './billed-usage.ts';
import { planChat } from './routed.ts';
import { targetOf } from './plan.ts';
import type { ChatCall, ChatParts } from './types.ts';
import { createVendorState, type VendorState } from './vendor-state.ts';

export interface TokenCount {
  /** In the caller's dialect. */
  readonly body: JsonObject;
  readonly estimated: boolean;
  readonly accountId: number | undefined;
}
export type CountCall = Pick<ChatCall, 'caller' | 'dialect' | 'body' | 'model' | 'headers'>;

/** Makes the counter; throws GatewayError as a chat call would. */
export function createTokenCounter(parts: ChatParts): (call: CountCall) => Promise<TokenCount> {
  const ask = async (call: CountCall, row: ModelRow, offer: Offer): Promise<number | undefined> => {
    const name = countingDialect(offer, call.dialect);
    const counting = name === undefined ? undefined : dialects[name].counting;
    if (name === undefined || counting === undefined) return undefined;
    const { adapter, upstream } = parts.openOffer(offer, call.caller.signal);
    if (adapter.chat === undefined) return undefined;
    const own = dialects[call.dialect].counting;
    const target = targetOf(row, offer);
    const encoded =
      name === call.dialect || own === undefined
        ? undefined
        : counting.encodeRequest(own.decodeRequest(call.body.json, { model: call.model }), target);
    const request = adapter.chat.request({
      dialect: name,
      purpose: 'count',
      model: offer.model,
      stream: false,
      body:
        encoded === undefined
          ? forwardRequest(dialects[name], call.body, { target, stream: false }).bytes
          : Buffer.from(JSON.stringify(encoded.body)),
      headers: encoded === undefined ? call.headers : (encoded.headers ?? {}),
      settings: offer.account.settings,
    });
    const { json } = await upstream.send(request);
    return counting.decodeReply(json ?? null);
  };

  const state = createVendorState(parts);
  return async (call) => {
    const row = findModel(parts.catalogue(), call.model, ['chat']);
    const candidates = await candidatesFor(parts, state, call, row);
    const own = dialects[call.dialect].counting;
    if (own === undefined) throw new GatewayError('not_found', 'this format has no call that counts tokens');
    // Says what is wrong with the body before anybody is asked.
    own.decodeRequest(call.body.json, { model: call.model });
    for (const { row: asked, offer } of candidates) {
      try {
        const tokens = await ask(call, asked, offer);
        if (tokens !== undefined)
          return { body: own.encodeReply(tokens), estimated: false, accountId: offer.account.id };
      } catch (error) {
        if (!(error instanceof GatewayError) || !error.retryElsewhere) throw error;
      }
    }
    return { body: own.encodeReply(estimateTokens(call.body.json)), estimated: true, accountId: undefined };
  };
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

function countingDialect(offer: Offer, wanted: DialectName): DialectName | undefined {
  const able: readonly DialectName[] = offer.dialects.filter((name) => dialects[name].counting?.byVendors === true);
  return able.includes(wanted) ? wanted : able[0];
}
