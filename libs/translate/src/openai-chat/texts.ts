import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { objectOf } from '../shared/read.ts';
import {
  named,
  objectsOf,
  SCHEMA,
  textsIn,
  textsOf,
  TOOL,
  type DialectTexts,
  type EventTexts,
  type Place,
  type Shape,
  type TextPiece,
  type TextPlace,
} from '../shared/texts.ts';

const PART: Shape = {
  none: ['type', 'id', 'image_url', 'video_url', 'audio_url', 'input_audio', 'cache_control', 'signature', 'index'],
  in: { file: { none: ['file_id', 'file_data'] }, thinking: (): Place => PART },
};
const CALL: Shape = {
  none: ['id', 'type', 'index', 'extra_content'],
  in: { function: { none: ['name'], in: { arguments: 'json' } }, custom: { none: ['name'] } },
};
/** As OpenRouter has them. */
const DETAIL: Shape = { none: ['type', 'id', 'format', 'index', 'signature', 'data'] };
const MESSAGE: Shape = {
  none: [
    ...['role', 'id', 'tool_call_id', 'cache_control', 'signature', 'encrypted_content', 'thought_signature'],
    ...['reasoning_opaque', 'reasoning_signature', 'extra_content'],
  ],
  in: {
    ...{ content: PART, images: PART, tool_calls: CALL, reasoning_details: DETAIL },
    function_call: { none: ['name'], in: { arguments: 'json' } },
    audio: { none: ['id', 'data', 'expires_at'] },
    annotations: { none: ['type'] },
    thinking_blocks: { none: ['type', 'signature', 'data'] },
  },
};
const CHOICE: Shape = {
  none: ['finish_reason', 'native_finish_reason', 'stop_reason', 'logprobs', 'token_ids', 'content_filter_results'],
  in: { message: MESSAGE },
};
const BESIDE_DELTA: Shape = { ...CHOICE, in: { ...CHOICE.in, delta: 'none' } };
const JSON_FORM: Shape = {
  none: ['type'],
  in: { json_schema: { none: ['name'], in: { schema: SCHEMA } }, schema: SCHEMA },
};

export const texts: DialectTexts = {
  inRequest: (body) => textsOf(body, { messages: MESSAGE, prediction: { none: ['type'], in: { content: PART } } }),
  inDeclarations: (body) => textsOf(body, { tools: TOOL, functions: TOOL, response_format: JSON_FORM }),
  inReply: (body) => textsOf(body, { choices: CHOICE }),
  inEvent(data): EventTexts {
    const pieces: TextPiece[] = [];
    const wholes: TextPlace[] = [];
    const closes: string[] = [];
    objectsOf(data['choices']).forEach((choice, at) => {
      const lane = named(choice['index'], at);
      const delta = choice['delta'] ?? null;
      if (isJsonObject(delta))
        for (const { of, ...place } of placesIn(delta)) {
          if (of === undefined) wholes.push(place);
          else pieces.push({ ...place, of, lane });
        }
      wholes.push(...textsIn(choice, BESIDE_DELTA, 'choices'));
      if ((choice['finish_reason'] ?? null) !== null) closes.push(lane);
    });
    return { pieces, wholes, closes };
  },
  dropTokens(data, isChanged) {
    let isDropped = false;
    for (const choice of objectsOf(data['choices'])) {
      const logprobs = objectOf(choice['logprobs']);
      const delta = objectOf(choice['delta']);
      if (logprobs === undefined) continue;
      if (!isChanged && (delta === undefined || areTokensOf(logprobs, delta))) continue;
      choice['logprobs'] = null;
      isDropped = true;
    }
    return isDropped;
  },
};

type Said = TextPlace & { readonly of?: string };

/** Texts of a delta, by what they are pieces of; what is there whole is of none. */
function placesIn(delta: JsonObject): readonly Said[] {
  return Object.keys(delta).flatMap((name): readonly Said[] => {
    if (name === 'tool_calls') return objectsOf(delta[name]).flatMap((call, at) => piecesOfCall(call, at));
    if (name === 'reasoning_details')
      return objectsOf(delta[name]).flatMap((detail, at) =>
        textsIn(detail, DETAIL, name).map((place) => ({
          ...place,
          of: `${name} ${named(detail['index'], at)} ${place.at}`,
        })),
      );
    const found = textsOf(delta, { [name]: placeOf(name) });
    if (name === 'annotations' || name === 'images') return found;
    return found.map((place) => ({ ...place, of: place.param.includes('.thinking') ? `${name} thinking` : name }));
  });
}

function piecesOfCall(call: JsonObject, at: number): readonly Said[] {
  const of = `call ${named(call['index'], at)}`;
  return textsIn(call, CALL, 'tool_calls').map((place) => ({ ...place, of }));
}

function placeOf(name: string): Place {
  if (MESSAGE.none?.includes(name) === true) return 'none';
  return MESSAGE.in?.[name] ?? 'words';
}

/** Whether the tokens of an event are those of its text. */
function areTokensOf(logprobs: JsonObject, delta: JsonObject): boolean {
  return ['content', 'refusal'].every((name) => {
    const tokens = objectsOf(logprobs[name]);
    const text: Json | undefined = delta[name];
    return tokens.length === 0 || tokens.map(({ token }) => named(token)).join('') === named(text);
  });
}
