/** Which parameters of chat completions reach a vendor of a model: requests are planned that ask for them, so that nobody keeps a list. */
import { OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import { perObject } from '../../per-object.ts';
import { planFor } from './plan.ts';
import { costReader } from './reservation.ts';

const TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const SCHEMA = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

/** Each with a value that asks for it. */
const ASKED: JsonObject = {
  temperature: 0.5,
  top_p: 0.5,
  reasoning_effort: 'high',
  tools: [TOOL],
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
};

/** Those that at least one offer takes. */
export const parametersOf = perObject((row: ModelRow): readonly string[] =>
  Object.keys(ASKED).filter((name) => row.offers.some((offer) => takes(row, offer, name))),
);

function takes(row: ModelRow, offer: Offer, name: string): boolean {
  const json = { model: row.code, messages: [{ role: 'user', content: 'hello' }], [name]: ASKED[name] ?? null };
  const body = { json, bytes: Buffer.from(JSON.stringify(json)) };
  const { dialect } = OPERATIONS.createChatCompletion;
  const call = { caller: { requestId: '' }, dialect, body, model: row.code, stream: false, headers: {} };
  const request = () => dialects[dialect].decodeRequest(json);
  try {
    const { dropped } = planFor(call, offer, { row, request, cost: costReader(call), id: '', now: 0 });
    return dropped.length === 0;
  } catch {
    // Left out it would change what is meant: the model does not take it.
    return false;
  }
}
