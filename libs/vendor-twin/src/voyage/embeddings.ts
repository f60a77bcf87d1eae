import { isJsonObject } from '@model-gateway/contracts';
import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { asBase64, quantized, vectorOfText } from '../texts/vectors.ts';
import { complainAsVoyage, refuseUnknownModel } from './errors.ts';

const SETTINGS = ['model', 'input_type', 'truncation', 'output_dimension'];
const OF_TEXTS = new Set([...SETTINGS, 'input', 'output_dtype', 'encoding_format']);
const OF_PICTURES = new Set([...SETTINGS, 'inputs', 'output_encoding', 'encoding_format']);
const LENGTHS = [256, 512, 1024, 2048] as const;
const MOST_INPUTS = 1000;
const TOKENS_OF_PICTURE = 1000;
/** Those that make vectors of one length and of floats alone. */
const IS_PLAIN = /finance|law|multilingual|multimodal-3$|-2$/;

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/embeddings', operation: 'embedding', handle: ofTexts },
  { method: 'POST', path: '/v1/multimodalembeddings', operation: 'embedding', handle: ofPictures },
];

async function ofTexts(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsVoyage);
  body.only(OF_TEXTS);
  const settings = settingsIn(body);
  const type =
    body.optionalOneOf(
      'output_dtype',
      settings.isPlain ? ['float'] : ['float', 'int8', 'uint8', 'binary', 'ubinary'],
    ) ?? 'float';
  // Numbers are what there is without it; they have no name.
  const encoding = body.optionalOneOf('encoding_format', ['base64']);
  const given = body.value['input'];
  const texts = typeof given === 'string' ? [given] : body.strings('input');
  checkCount(body, 'input', texts);
  const tokens = texts.reduce((sum, text) => sum + tokensOf(withoutMarkers(text)), 0);
  await answer(
    exchange,
    settings,
    { texts, usage: { total_tokens: tokens }, billed: { inputTokens: tokens } },
    (vector) => {
      if (encoding === undefined) return quantized(vector, type);
      return type === 'float' ? asBase64(vector) : Buffer.from(quantized(vector, type)).toString('base64');
    },
  );
}

async function ofPictures(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsVoyage);
  body.only(OF_PICTURES);
  const settings = settingsIn(body);
  const inputs = body.array('inputs');
  checkCount(body, 'inputs', inputs);
  const read = inputs.map((input) => contentOf(body, isJsonObject(input) ? input['content'] : undefined));
  const texts = read.map((parts) => parts.map(({ text }) => text).join('\n'));
  const pictures = read.flat().filter(({ isPicture }) => isPicture).length * TOKENS_OF_PICTURE;
  const words = read
    .flat()
    .reduce((sum, { text, isPicture }) => sum + (isPicture ? 0 : tokensOf(withoutMarkers(text))), 0);
  const usage = { text_tokens: words, image_pixels: pictures * 560, total_tokens: words + pictures };
  const billed = { inputTokens: words + pictures, inputImageTokens: pictures };
  await answer(exchange, settings, { texts, usage, billed }, (vector) => vector);
}

interface Settings {
  readonly model: string;
  readonly dimensions: number;
  readonly isPlain: boolean;
}

function settingsIn(body: Reader): Settings {
  const model = body.string('model');
  refuseUnknownModel(model);
  const isPlain = IS_PLAIN.test(model);
  body.optionalOneOf('input_type', ['query', 'document'] as const);
  body.optionalBoolean('truncation');
  const dimensions = body.optionalOneOf('output_dimension', isPlain ? [1024] : LENGTHS) ?? 1024;
  return { model, dimensions, isPlain };
}

function checkCount(body: Reader, name: string, items: readonly unknown[]): void {
  if (items.length === 0 || items.length > MOST_INPUTS) body.fail(name, `a list of 1 to ${MOST_INPUTS} items`);
  if (items.includes('')) body.fail(name, 'without empty texts');
}

function contentOf(body: Reader, content: unknown): readonly { readonly text: string; readonly isPicture: boolean }[] {
  if (!Array.isArray(content) || content.length === 0) body.fail('inputs', 'a list of objects with content');
  return content.map((part: unknown) => {
    const { type, ...said } = isJsonObject(part) ? part : {};
    const value = typeof type === 'string' ? said[type] : undefined;
    const isGood =
      typeof value === 'string' &&
      Object.keys(said).length === 1 &&
      (type === 'text' ||
        (type === 'image_url' && value.startsWith('http')) ||
        (type === 'image_base64' && value.startsWith('data:image/')));
    if (!isGood) body.fail('inputs', 'texts, image_url or image_base64');
    return { text: type === 'text' ? value : `picture ${value.slice(-24)}`, isPicture: type !== 'text' };
  });
}

async function answer(
  exchange: Exchange,
  { model, dimensions }: Settings,
  { texts, usage, billed }: { texts: readonly string[]; usage: object; billed: Record<string, number> },
  written: (vector: readonly number[]) => unknown,
): Promise<void> {
  const markers = await exchange.obey(texts.join('\n'));
  exchange.record({ kind: 'embedding', model, stream: false, aborted: false, billed });
  const data = texts.map((text, index) => ({
    object: 'embedding',
    embedding: written(vectorOfText(withoutMarkers(text), dimensions)),
    index,
  }));
  exchange.reply(200, { object: 'list', data: markers.words.has('few') ? data.slice(1) : data, model, usage });
}
