/** The body of POST /v1/moderations as the neutral form. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ModerationCreate, ModerationPart } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { wrongField } from '../../wrong-field.ts';

/** Texts or parts of one request at most. */
const MOST_INPUTS = 2048;
const FILE = /^\s*file:/i;

/** Reads the body. Throws `invalid_request` naming the field. */
export function moderationOf(body: JsonObject, row: ModelRow): ModerationCreate {
  const { input = null } = body;
  if (typeof input === 'string') return { input: [input], results: 1, body };
  if (!Array.isArray(input)) throw wrongField('input', 'must be a text or an array');
  if (input.length === 0) throw wrongField('input', 'is empty; there is nothing to check');
  if (input.length > MOST_INPUTS)
    throw wrongField('input', `has ${input.length} items; one request takes at most ${MOST_INPUTS}`);
  if (typeof input[0] !== 'string')
    return { input: input.map((part, index) => partOf(part, row, index)), results: 1, body };
  const texts = input.map((text, index) => {
    if (typeof text !== 'string') throw wrongField(`input[${index}]`, 'must be a text like the first');
    return text;
  });
  return { input: texts, results: texts.length, body };
}

function partOf(part: Json, row: ModelRow, index: number): ModerationPart {
  const param = `input[${index}]`;
  const { type, text, image_url }: JsonObject = isJsonObject(part) ? part : {};
  if (typeof type !== 'string') throw wrongField(`${param}.type`, 'must be a text such as text or image_url');
  if (type === 'text') {
    if (typeof text !== 'string') throw wrongField(`${param}.text`, 'must be a text');
    return { type, text };
  }
  if (type !== 'image_url') return { type };
  const { inputs } = row.limits;
  if (Array.isArray(inputs) && !inputs.includes('image'))
    throw wrongField(param, 'is a picture; this model checks texts only');
  const url = isJsonObject(image_url) ? image_url['url'] : undefined;
  // A server of the operator's own would read its own disk.
  if (typeof url !== 'string' || FILE.test(url))
    throw wrongField(`${param}.image_url.url`, 'must be an address that begins with https:// or data:image/');
  return { type };
}
