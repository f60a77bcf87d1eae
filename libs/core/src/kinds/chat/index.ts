/** Chat models: text and media in, text out, through any of the four dialects, or as a text to complete. */
import { WIRE_NAMES, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { REQUEST_INPUTS } from '../../routing/condition.ts';
import { parametersOf } from './parameters.ts';
import { planFor } from './plan.ts';
import { checkBillable, costReader, plansOf, quoteOf } from './reservation.ts';

/** By the operation's own dialect, as the document says; what a request would set aside. */
const quoteFor =
  (id: QuotedOperation) =>
  (json: JsonObject, row: ModelRow): Quoted => {
    const { dialect } = OPERATIONS[id];
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

const QUOTED = [
  'createChatCompletion',
  'createCompletion',
  'createResponse',
  'compactResponse',
  'createMessage',
  'generateContent',
  'streamGenerateContent',
  'generateContentV1',
  'streamGenerateContentV1',
] as const;
type QuotedOperation = (typeof QUOTED)[number];

export const chatKind: KindModule = {
  name: 'chat',
  called: 'a model code',
  capability: 'chat',
  rows: { chat: { dialects: true, hasDefaultPrice: true } },
  inputs: REQUEST_INPUTS,
  answersAtOnce: true,
  keepsAnswers: true,
  isGuarded: true,
  describe: () => ({
    operations: ['createChatCompletion', 'createCompletion', 'createResponse', 'createMessage', 'generateContent'],
    formats: WIRE_NAMES,
  }),
  parameters: parametersOf,
  quote: Object.fromEntries(QUOTED.map((id) => [id, quoteFor(id)])),
};
