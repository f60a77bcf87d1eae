/** /admin/dropped-parameters: what did not reach vendors as it was sent, and what to do. */
import type { components } from '@model-gateway/contracts';
import type { DroppedCount, Store } from '@model-gateway/core';
import type { Asked } from '../admin-operation.ts';
import { timeOf } from '../values.ts';
import { daysIn } from './days.ts';
import { namesOfRows, type Names } from './view.ts';

type Schemas = components['schemas'];

/** The lines that a query asks for. Throws `invalid_request` if it begins after its end. */
export async function listDroppedParameters(
  store: Pick<Store, 'requests' | 'owners' | 'keys'>,
  asked: Asked,
  now: number,
): Promise<Schemas['DroppedParameterList']> {
  const { limit, ...days } = daysIn(asked, now);
  const rows = await store.requests.dropped({ ...days, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const names = await namesOfRows(store, shown);
  return { object: 'list', data: shown.map((row) => viewOf(row, names)), has_more: rows.length > limit };
}

function viewOf(row: Omit<DroppedCount, 'day'>, { owners, keys }: Names): Schemas['DroppedParameter'] {
  const { parameter, model, mode, ownerId, keyId, requests, firstAt, lastAt, reason } = row;
  return {
    ...{ object: 'dropped_parameter', parameter, model: model === '' ? null : model, mode },
    ...{ owner_id: ownerId, owner_name: owners.get(ownerId) ?? null },
    ...{ key_id: keyId, key_name: keys.get(keyId) ?? null },
    ...{ requests, first_at: timeOf(firstAt), last_at: timeOf(lastAt), reason, advice: adviceFor(parameter, reason) },
  };
}

/** By the parameter or by the reason: the first that fits. */
const ADVICE: readonly (readonly [of: 'parameter' | 'reason', words: RegExp, advice: string])[] = [
  ['parameter', /cache_control$/, 'Nothing to change: this vendor caches prompts without marks.'],
  ['reason', /sent as|lowered|asked for in the instructions|told in/, 'The vendor got another value. Send one that the model has, or call another model.'], // prettier-ignore
  ['reason', /follow in a user message|sent with the next user message|its words are sent|their text is sent|stands in for it|said in the text/, 'Nothing to change: the content reached the vendor in another form.'], // prettier-ignore
  ['reason', /reasoning|not signed/, 'The reasoning belongs to another model. Stay with one model in a conversation to keep it.'], // prettier-ignore
];
const USUAL_ADVICE = 'Remove the parameter, or call a model whose vendor has it.';

function adviceFor(parameter: string, reason: string): string {
  const found = ADVICE.find(([of, words]) => words.test(of === 'parameter' ? parameter : reason));
  return found?.[2] ?? USUAL_ADVICE;
}
