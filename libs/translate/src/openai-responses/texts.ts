import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
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
} from '../shared/texts.ts';

const NOTHING: EventTexts = { pieces: [], wholes: [], closes: [] };
const MEDIA = /^response\.(?:audio|image_generation_call)\./;
const SAID_AS_AUDIO = /^response\.audio\.transcript\./;
const OVER = /^(?:error|response\.(?:completed|incomplete|failed))$/;

const ANNOTATION: Shape = { none: ['type', 'file_id', 'container_id'] };
const PART: Shape = {
  none: [
    ...['type', 'id', 'image_url', 'file_id', 'file_data', 'file_url', 'detail', 'logprobs', 'input_audio'],
    ...['cache_control', 'encrypted_content'],
  ],
  in: { annotations: ANNOTATION, audio: { none: ['id', 'data'] } },
};
const ITEM_NONE = [
  ...['type', 'id', 'call_id', 'role', 'status', 'phase', 'name', 'server_label', 'namespace', 'encrypted_content'],
  ...['signature', 'approval_request_id', 'cache_control', 'created_by', 'container_id'],
];
const ITEM: Place = (item) => ({
  none: item['type'] === 'image_generation_call' ? [...ITEM_NONE, 'result'] : ITEM_NONE,
  in: {
    ...{ content: PART, summary: PART, output: PART, arguments: 'json', tools: TOOL, results: 'free' },
    outputs: (output) => ({ none: output['type'] === 'image' ? ['type', 'url'] : ['type'] }),
  },
});
const CONVERSATION: Readonly<Record<string, Place>> = {
  ...{ instructions: ITEM, input: ITEM },
  prompt: { none: ['id', 'version'], in: { variables: { others: PART } } },
};
const JSON_FORM: Shape = { none: ['type', 'name'], in: { schema: SCHEMA } };
const OUTPUT: Readonly<Record<string, Place>> = { output: ITEM, output_text: 'words' };
/** Of what it repeats, or says at once. */
const EVENT: Shape = {
  none: [
    ...['type', 'item_id', 'call_id', 'response_id', 'event_id', 'obfuscation', 'name', 'status', 'code', 'param'],
    ...['partial_image_b64', 'logprobs', 'response'],
  ],
  in: { item: ITEM, part: PART, annotation: ANNOTATION, arguments: 'json' },
};

export const texts: DialectTexts = {
  inRequest: (body) => textsOf(body, CONVERSATION),
  inDeclarations: (body) => textsOf(body, { tools: TOOL, text: { in: { format: JSON_FORM }, others: 'none' } }),
  inReply: (body) => textsOf(body, OUTPUT),
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
      return { ...NOTHING, wholes: textsOf(response, OUTPUT, 'response'), closes: OVER.test(type) ? 'all' : [] };
    return { ...NOTHING, wholes: textsIn(data, EVENT, 'event'), closes: type.endsWith('.done') ? [of] : [] };
  },
  dropTokens(data, isChanged) {
    const { response, item, part, delta } = data;
    const items = [
      ...objectsOf(data['output']),
      ...objectsOf(objectOf(response)?.['output']),
      ...objectsOf([item ?? null]),
    ];
    const spoken = [data, ...objectsOf([part ?? null]), ...items.flatMap(({ content }) => objectsOf(content))];
    let isDropped = false;
    for (const each of spoken) {
      const tokens = objectsOf(each['logprobs']);
      const said = each === data ? named(delta ?? data['text']) : named(each['text']);
      if (tokens.length === 0) continue;
      if (!isChanged && tokens.map(({ token }) => named(token)).join('') === said) continue;
      each['logprobs'] = [];
      isDropped = true;
    }
    return isDropped;
  },
};

/** `response.output_text` of one part of one item. */
function textOf(type: string, data: JsonObject): string {
  const place = ['item_id', 'output_index', 'content_index', 'summary_index'].map((name) => named(data[name]));
  return [type.replace(/\.(?:delta|done)$/, ''), ...place].join(' ');
}
