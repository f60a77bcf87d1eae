/** Chat models: text and media in, text out, through any of the four dialects, or as a text to complete. */
import { WIRE_NAMES, type JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { REQUEST_INPUTS } from '../../routing/condition.ts';
import { CHAT_OPERATIONS, type ChatOperation } from './operations.ts';
import { parametersOf } from './parameters.ts';
import { planFor } from './plan.ts';
import { checkBillable, costReader, plansOf, quoteOf } from './reservation.ts';

/** What a request would set aside. */
const quoteIn =
  ({ dialect }: ChatOperation) =>
  (json: JsonObject, row: ModelRow): Quoted => {
    const body = { json, bytes: Buffer.from(JSON.stringify(json)) };
    const stream = json['stream'] === true;
    const call = { caller: { requestId: '' }, dialect, body, model: row.code, stream, headers: {} };
    checkBillable(call);
    const cost = costReader(call);
    const request = () => dialects[dialect].decodeRequest(json, { model: row.code, stream });
    const plans = plansOf(quotedOffers(row), (offer) => planFor(call, offer, { row, request, cost, id: '', now: 0 }));
    const { most, factor, bound } = quoteOf(plans, row);
    return { usage: most, factors: { asked: factor }, bound };
  };

/** Those that could be asked now; all of them where nobody can. */
function quotedOffers({ offers }: ModelRow): readonly Offer[] {
  const on = offers.filter(({ account }) => account.on);
  return on.length === 0 ? offers : on;
}

const PAID = CHAT_OPERATIONS.filter(({ paid }) => paid);
/** The first of each dialect. */
const SHOWN = PAID.filter(({ dialect }, at) => PAID.findIndex((each) => each.dialect === dialect) === at);

export const chatKind: KindModule = {
  name: 'chat',
  called: 'a model code',
  capability: 'chat',
  rows: { chat: { dialects: true, hasDefaultPrice: true } },
  inputs: REQUEST_INPUTS,
  answersAtOnce: true,
  keepsAnswers: true,
  isGuarded: true,
  describe: () => ({ operations: SHOWN.map(({ id }) => id), formats: WIRE_NAMES }),
  parameters: parametersOf,
  quote: Object.fromEntries(PAID.map((each) => [each.id, quoteIn(each)])),
};
