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
export const parametersOf = perObject((row: ModelRow): readonly string[] => {
  const taken = row.offers.map((offer) => takenBy(row, offer));
  return Object.keys(ASKED).filter((name) => taken.some((names) => names.has(name)));
});

/** More kinds of offers than a catalogue has. */
const MOST_KINDS = 10_000;
/** By what a plan of these requests goes by: a catalogue has thousands of offers, and few kinds of them. */
const known = new Map<string, ReadonlySet<string>>();

function takenBy(row: ModelRow, offer: Offer): ReadonlySet<string> {
  const kind = kindOf(row, offer);
  let taken = known.get(kind);
  if (taken === undefined) {
    taken = new Set(Object.keys(ASKED).filter((name) => takes(row, offer, name)));
    if (known.size >= MOST_KINDS) known.clear();
    known.set(kind, taken);
  }
  return taken;
}

/** All that a plan reads of a row and an offer but their names. */
function kindOf({ limits, price }: ModelRow, { dialects: spoken, quirks, bodyFields, account }: Offer): string {
  const { vendor, provider = vendor } = account;
  const { inputs, max_output_tokens: longest } = limits;
  return JSON.stringify([spoken, provider, quirks, bodyFields, inputs, longest, price.factors]);
}

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
