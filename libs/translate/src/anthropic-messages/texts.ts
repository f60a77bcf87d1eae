import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { named, textsBelow, textsOf, type DialectTexts, type EventTexts } from '../shared/texts.ts';

const NOTHING: EventTexts = { pieces: [], wholes: [], closes: [] };
const PIECES = ['text', 'thinking', 'partial_json'] as const;

export const texts: DialectTexts = {
  inRequest: (body) => textsOf(body, ['system', 'messages']),
  inReply: (body) => textsOf(body, ['content']),
  inEvent(data): EventTexts {
    const of = named(data['index']);
    switch (data['type']) {
      case 'content_block_start':
        return { ...NOTHING, wholes: textsBelow(data['content_block'], 'content_block') };
      case 'content_block_delta':
        return deltaOf(data, of);
      case 'content_block_stop':
        return { ...NOTHING, closes: [of] };
      case 'message_delta':
      case 'message_stop':
      case 'error':
        return { ...NOTHING, closes: 'all' };
      default:
        return NOTHING;
    }
  },
};

function deltaOf({ delta }: JsonObject, of: string): EventTexts {
  if (!isJsonObject(delta)) return NOTHING;
  const name = PIECES.find((each) => typeof delta[each] === 'string');
  if (name === undefined) return { ...NOTHING, wholes: textsOf(delta, ['citation'], 'delta') };
  const isJson = name === 'partial_json' && { isJson: true as const };
  return { ...NOTHING, pieces: [{ in: delta, at: name, param: name, of, lane: of, ...isJson }] };
}
