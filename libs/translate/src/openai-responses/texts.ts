import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { named, textsOf, type DialectTexts, type EventTexts } from '../shared/texts.ts';

const NOTHING: EventTexts = { pieces: [], wholes: [], closes: [] };
/** Members of events that repeat what was said, or say it at once. */
const WHOLES = ['text', 'arguments', 'input', 'code', 'refusal', 'transcript', 'part', 'item', 'annotation'];
const MEDIA = /^response\.(?:audio|image_generation_call)\./;
const SAID_AS_AUDIO = /^response\.audio\.transcript\./;
const OVER = /^(?:error|response\.(?:completed|incomplete|failed))$/;

export const texts: DialectTexts = {
  inRequest: (body) => textsOf(body, ['instructions', 'input', 'prompt']),
  inReply: (body) => textsOf(body, ['output']),
  inEvent(data): EventTexts {
    const type = named(data['type']);
    if (MEDIA.test(type) && !SAID_AS_AUDIO.test(type)) return NOTHING;
    const of = textOf(type, data);
    const { delta, response } = data;
    if (typeof delta === 'string') {
      const isJson = type.includes('arguments') && { isJson: true as const };
      return {
        ...NOTHING,
        pieces: delta === '' ? [] : [{ in: data, at: 'delta', param: 'delta', of, lane: of, ...isJson }],
      };
    }
    if (isJsonObject(response))
      return { ...NOTHING, wholes: textsOf(response, ['output'], 'response'), closes: OVER.test(type) ? 'all' : [] };
    return { ...NOTHING, wholes: textsOf(data, WHOLES), closes: type.endsWith('.done') ? [of] : [] };
  },
};

/** `response.output_text` of one part of one item. */
function textOf(type: string, data: JsonObject): string {
  const place = ['item_id', 'output_index', 'content_index', 'summary_index'].map((name) => named(data[name]));
  return [type.replace(/\.(?:delta|done)$/, ''), ...place].join(' ');
}
