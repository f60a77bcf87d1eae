import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import {
  named,
  SCHEMA,
  textsIn,
  textsOf,
  TOOL,
  type DialectTexts,
  type EventTexts,
  type Place,
  type Shape,
  type TextPlace,
} from '../shared/texts.ts';

const NOTHING: EventTexts = { pieces: [], wholes: [], closes: [] };

/** A document that is sent as text stands where bytes do. */
const SOURCE: Place = ({ type }) =>
  type === 'text' || type === 'content'
    ? { none: ['type', 'media_type'], in: { content: (): Place => BLOCK } }
    : 'none';
const BLOCK_NONE = [
  ...['type', 'id', 'tool_use_id', 'name', 'server_name', 'signature', 'cache_control', 'encrypted_content', 'file_id'],
  ...['encrypted_stdout', 'caller'],
];
const CITATION: Shape = { none: ['type', 'encrypted_index', 'file_id'] };
const BLOCK: Place = (block) => ({
  none: block['type'] === 'redacted_thinking' ? [...BLOCK_NONE, 'data'] : BLOCK_NONE,
  in: { input: 'free', source: SOURCE, content: BLOCK, citations: CITATION },
});
const JSON_FORM: Shape = { none: ['type', 'name'], in: { schema: SCHEMA } };

export const texts: DialectTexts = {
  inRequest: (body) => textsOf(body, { system: BLOCK, messages: { none: ['role'], in: { content: BLOCK } } }),
  inDeclarations: (body) =>
    textsOf(body, {
      ...{ tools: TOOL, output_format: JSON_FORM },
      output_config: { in: { format: JSON_FORM }, others: 'none' },
    }),
  inReply: (body) => textsOf(body, { content: BLOCK }),
  inEvent(data): EventTexts {
    const of = named(data['index']);
    switch (data['type']) {
      case 'message_start':
        return { ...NOTHING, wholes: textsIn(data['message'], { in: { content: BLOCK }, others: 'none' }, 'message') };
      case 'content_block_start':
        return { ...NOTHING, wholes: textsIn(data['content_block'], BLOCK, 'content_block') };
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
  dropTokens: () => false,
};

/** Every text of a delta goes on with its block; a citation is there whole. */
function deltaOf({ delta }: JsonObject, of: string): EventTexts {
  if (!isJsonObject(delta)) return NOTHING;
  const isPiece = ({ in: holder }: TextPlace): boolean => holder === delta;
  const found = textsIn(
    delta,
    { none: ['type', 'signature'], in: { partial_json: 'json', citation: CITATION } },
    'delta',
  );
  return {
    ...NOTHING,
    pieces: found.filter(isPiece).map((place) => ({ ...place, of, lane: of })),
    wholes: found.filter((place) => !isPiece(place)),
  };
}
