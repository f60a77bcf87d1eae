/** Counting input tokens without an answer: the vendor's own count where it has one, a local estimate marked as such elsewhere. Free of charge. */
import { GatewayError, isJsonObject, type DialectName, type Json, type JsonObject } from '@model-gateway/contracts';
import { dialects, forwardRequest } from '@model-gateway/translate';
import { estimateTokenCount } from 'tokenx';
import { findModel, offersFor, type ModelRow, type Offer } from '../../catalogue.ts';
import { targetOf } from './target.ts';
import type { ChatCall, ChatParts } from './types.ts';
import { createVendorState } from './vendor-state.ts';

export interface TokenCount {
  /** In the caller's dialect. */
  readonly body: JsonObject;
  readonly estimated: boolean;
  readonly accountId: number | undefined;
}
export type CountCall = Pick<ChatCall, 'caller' | 'dialect' | 'body' | 'model' | 'headers'>;

const LONGEST_MEDIA_TEXT = 1000;
/** Characters that are counted: some hundredths of a second. */
const MOST_COUNTED = 256 * 1024;

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
    const offers = parts.router.order(await state.reachable(call, offersFor(parts.catalogue(), row, call.caller.mode)));
    const own = dialects[call.dialect].counting;
    if (own === undefined) throw new GatewayError('not_found', 'this format has no call that counts tokens');
    // Says what is wrong with the body before anybody is asked.
    own.decodeRequest(call.body.json, { model: call.model });
    for (const offer of offers) {
      try {
        const tokens = await ask(call, row, offer);
        if (tokens !== undefined)
          return { body: own.encodeReply(tokens), estimated: false, accountId: offer.account.id };
      } catch (error) {
        if (!(error instanceof GatewayError) || !error.retryElsewhere) throw error;
      }
    }
    return { body: own.encodeReply(estimateTokens(call.body.json)), estimated: true, accountId: undefined };
  };
}

function countingDialect(offer: Offer, wanted: DialectName): DialectName | undefined {
  const able: readonly DialectName[] = offer.dialects.filter((name) => dialects[name].counting?.byVendors === true);
  return able.includes(wanted) ? wanted : able[0];
}

/** About how many tokens the text of a body has; media counts as what vendors usually bill for one. Of a long text a part is counted and the rest reckoned by it. */
export function estimateTokens(body: Json): number {
  const TOKENS_PER_MEDIUM = 1000;
  let text = '';
  let length = 0;
  let media = 0;
  const walk = (value: Json): void => {
    if (typeof value === 'string') {
      if (value.length > LONGEST_MEDIA_TEXT && !value.includes(' ')) media++;
      else {
        length += value.length + 1;
        if (text.length < MOST_COUNTED) text += `${value.slice(0, MOST_COUNTED - text.length)}\n`;
      }
    } else if (Array.isArray(value)) value.forEach(walk);
    else if (isJsonObject(value)) Object.values(value).forEach(walk);
  };
  walk(body);
  const tokens = estimateTokenCount(text);
  const whole = length > text.length ? Math.ceil((tokens * length) / text.length) : tokens;
  return whole + media * TOKENS_PER_MEDIUM;
}
