import { isJsonObject } from '@model-gateway/contracts';
import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { asBase64, quantized, vectorOfText } from '../texts/vectors.ts';
import { complainAsCohere, refuseAsCohere, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set([
  'model',
  'texts',
  'images',
  'inputs',
  'input_type',
  'embedding_types',
  'output_dimension',
  'max_tokens',
  'truncate',
  'priority',
]);
const TYPES = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'];
const MOST_INPUTS = 96;
const TOKENS_OF_PICTURE = 1610;

export const routes: readonly Route[] = [{ method: 'POST', path: '/v2/embed', operation: 'embedding', handle: embed }];

interface Input {
  readonly text: string;
  readonly pictures: number;
}

async function embed(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsCohere);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const hasDimensions = model.includes('v4');
  if (!hasDimensions && body.has('output_dimension'))
    throw refuseAsCohere(400, { message: `output_dimension is not supported for ${model}` });
  const inputs = inputsOf(body, hasDimensions);
  body.oneOf('input_type', ['search_document', 'search_query', 'classification', 'clustering', 'image'] as const);
  const types = body.has('embedding_types') ? body.strings('embedding_types') : ['float'];
  const stranger = types.find((type) => !TYPES.includes(type));
  if (stranger !== undefined) body.fail('embedding_types', `among ${TYPES.join(', ')}`);
  body.optionalOneOf('truncate', ['NONE', 'START', 'END'] as const);
  const dimensions =
    body.optionalOneOf('output_dimension', [256, 512, 1024, 1536] as const) ?? (hasDimensions ? 1536 : 1024);
  const markers = await exchange.obey(inputs.map(({ text }) => text).join('\n'));
  const ofTexts = inputs.reduce((sum, { text }) => sum + tokensOf(withoutMarkers(text)), 0);
  const ofPictures = inputs.reduce((sum, { pictures }) => sum + pictures, 0) * TOKENS_OF_PICTURE;
  const billed = { inputTokens: ofTexts + ofPictures, ...(ofPictures > 0 && { inputImageTokens: ofPictures }) };
  exchange.record({ kind: 'embedding', model, stream: false, aborted: false, billed });
  const vectors = inputs.map(({ text }) => vectorOfText(withoutMarkers(text), dimensions));
  const told = markers.words.has('few') ? vectors.slice(1) : vectors;
  exchange.reply(200, {
    id: exchange.stage.newId(''),
    embeddings: Object.fromEntries(
      types.map((type) => [type, told.map((each) => (type === 'base64' ? asBase64(each) : quantized(each, type)))]),
    ),
    ...(body.has('texts') && { texts: inputs.map(({ text }) => text) }),
    meta: {
      api_version: { version: '2' },
      billed_units: {
        input_tokens: ofTexts,
        ...(ofPictures > 0 && { image_tokens: ofPictures, images: ofPictures / TOKENS_OF_PICTURE }),
      },
    },
    response_type: 'embeddings_by_type',
  });
}

function inputsOf(body: Reader, takesMixed: boolean): readonly Input[] {
  const given = ['texts', 'images', 'inputs'].filter((name) => body.has(name));
  const [name = 'texts'] = given;
  if (given.length !== 1)
    throw refuseAsCohere(400, { message: 'invalid request: exactly one of texts, images and inputs must be set' });
  const list = body.array(name);
  if (list.length === 0 || list.length > MOST_INPUTS) body.fail(name, `between 1 and ${MOST_INPUTS} items`);
  if (name === 'texts') return body.strings('texts').map((text) => ({ text, pictures: 0 }));
  if (name === 'images') return body.strings('images').map((url) => pictureOf(url));
  if (!takesMixed) throw refuseAsCohere(400, { message: 'invalid request: inputs is not supported for this model' });
  return list.map((item) => {
    const content = isJsonObject(item) && Array.isArray(item['content']) ? item['content'] : [];
    if (content.length === 0) body.fail('inputs', 'a list of objects with content');
    const parts = content.map((part): Input => {
      const { type, text, image_url: image } = isJsonObject(part) ? part : {};
      if (type === 'text' && typeof text === 'string') return { text, pictures: 0 };
      if (type !== 'image_url' || !isJsonObject(image) || typeof image['url'] !== 'string')
        return body.fail('inputs', 'texts and image_urls');
      return pictureOf(image['url']);
    });
    return {
      text: parts.map(({ text }) => text).join('\n'),
      pictures: parts.reduce((sum, { pictures }) => sum + pictures, 0),
    };
  });
}

function pictureOf(url: string): Input {
  if (!/^data:image\/(?:png|jpeg|webp|gif);base64,/.test(url))
    throw refuseAsCohere(400, { message: 'invalid request: images must be valid data URIs' });
  return { text: `picture ${url.length} ${url.slice(-24)}`, pictures: 1 };
}
