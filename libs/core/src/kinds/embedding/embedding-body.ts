/** The bodies that ask for vectors, OpenAI's, Google's and Cohere's, as the neutral form. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { EmbeddingCreate, EmbeddingInput, EmbeddingPart } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { wrongField } from '../../wrong-field.ts';
import { dimensionsOf, purposeOf, settingsOf } from './embedding-settings.ts';

/** Texts of one request at most: OpenAI's own bound. */
const MOST_INPUTS = 2048;

/** Reads OpenAI's form, with what Voyage, Jina, Mistral and others say beside it. Throws `invalid_request` naming the field. */
export function embeddingsOfInput(body: JsonObject, row: ModelRow): EmbeddingCreate {
  const { model: _model, input = null, user, ...members } = body;
  const inputs = inputsOf(input).map(({ content, param }) => inputOf(content, row, param));
  return {
    shape: 'input',
    body,
    inputs: checkedCount(inputs, 'input'),
    ...settingsOf(members, row),
    ...(typeof user === 'string' && user !== '' && { user }),
  };
}

/** Reads Cohere's form: texts, pictures, or inputs of both. Throws `invalid_request` naming the field. */
export function embeddingsOfTexts(body: JsonObject, row: ModelRow): EmbeddingCreate {
  const { model: _model, texts, images, inputs, ...members } = body;
  const given = Object.entries({ texts, images, inputs }).filter(([, list]) => Array.isArray(list) && list.length > 0);
  const [[param, list] = ['texts', null]] = given;
  if (given.length !== 1 || !Array.isArray(list))
    throw wrongField('texts', 'must be given, or images, or inputs: one of them');
  const read = list.map((item, index): EmbeddingInput => {
    const place = `${param}[${index}]`;
    if (param === 'texts' && typeof item !== 'string') throw wrongField(place, 'must be a text');
    if (param === 'images' && typeof item !== 'string') throw wrongField(place, 'must be a picture as a data: URL');
    return inputOf(param === 'images' ? { image: item } : item, row, place);
  });
  return { shape: 'typed', body, inputs: checkedCount(read, param), ...settingsOf(members, row) };
}

/** Reads Google's embedContent. Throws `invalid_request` naming the field. */
export function embeddingsOfContent(body: JsonObject, row: ModelRow): EmbeddingCreate {
  return contentsOf(body, [requestOf(body, row, '')]);
}

/** Reads Google's batchEmbedContents. Throws `invalid_request` naming the field. */
export function embeddingsOfContents(body: JsonObject, row: ModelRow): EmbeddingCreate {
  const { requests, ...extra } = body;
  const read = checkedCount(Array.isArray(requests) ? requests : [], 'requests').map((request, index) => {
    const place = `requests[${index}]`;
    if (!isJsonObject(request)) throw wrongField(place, 'must be an object');
    return requestOf(request, row, `${place}.`);
  });
  return { ...contentsOf(body, read), extra };
}

function inputsOf(input: Json): { readonly content: Json; readonly param: string }[] {
  if (typeof input === 'string') return [{ content: input, param: 'input' }];
  if (!Array.isArray(input)) throw wrongField('input', 'must be a text or an array');
  if (typeof input[0] === 'number') return [{ content: input, param: 'input' }];
  return input.map((content, index) => ({ content, param: `input[${index}]` }));
}

/** A text, the ids of its tokens, or an object: a text, a picture, several of them, or whatever a vendor on this wire makes of it. */
function inputOf(content: Json, row: ModelRow, param: string): EmbeddingInput {
  if (typeof content === 'string') return { content, param };
  if (isJsonObject(content)) {
    const parts = partsIn(content);
    const text = content['text'];
    if (parts === undefined)
      return { content: typeof text === 'string' ? text : '', body: content, param, media: [{ mime: '', param }] };
    const media = parts.flatMap((part) => ('image' in part ? { mime: mimeOfPicture(part.image), param } : []));
    const texts = parts.flatMap((part) => ('text' in part ? part.text : []));
    return { content: texts.join('\n'), body: content, param, media, ...(media.length > 0 && { parts }) };
  }
  if (!Array.isArray(content)) throw wrongField(param, 'must be a text, a list of token ids or an object');
  const stranger = content.findIndex((id) => typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0);
  if (stranger >= 0) throw wrongField(`${param}[${stranger}]`, 'must be a token id: a whole number, 0 or more');
  const longest = longestOf(row);
  if (longest !== undefined && content.length > longest)
    throw wrongField(param, `has ${content.length} tokens; this model reads at most ${longest} of one text`);
  return { content: content as readonly number[], param };
}

/** The texts and pictures of an object in the ways that vendors write them; undefined where it has anything else. */
function partsIn(item: JsonObject): readonly EmbeddingPart[] | undefined {
  const { type, content, text, image, image_url, image_base64, ...others } = item;
  if (Object.keys(others).length > 0) return undefined;
  if (Array.isArray(content)) {
    const parts = content.map((part) => (isJsonObject(part) ? partsIn(part) : undefined));
    return type === undefined && parts.length > 0 && parts.every((each) => each !== undefined)
      ? parts.flat()
      : undefined;
  }
  const pictures = [image, isJsonObject(image_url) ? image_url['url'] : image_url, image_base64].filter(
    (each) => each !== undefined,
  );
  const images = pictures.map(pictureOf);
  const isText = typeof text === 'string';
  if (content !== undefined || images.includes(undefined) || (text !== undefined && !isText)) return undefined;
  const parts = [...(isText ? [{ text }] : []), ...images.map((each) => ({ image: each as string }))];
  return parts.length > 0 ? parts : undefined;
}

/** How base64 of pictures begins. */
const PICTURES: readonly (readonly [start: string, mime: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** The address of a picture; base64 alone becomes a data: URL. */
function pictureOf(said: Json): string | undefined {
  if (typeof said !== 'string') return undefined;
  if (/^(?:https?:\/\/|data:image\/)/i.test(said.slice(0, 20))) return said;
  const mime = PICTURES.find(([start]) => said.startsWith(start))?.[1];
  return mime === undefined ? undefined : `data:${mime};base64,${said}`;
}

function mimeOfPicture(url: string): string {
  return /^data:(image\/[\w.+-]+)/i.exec(url.slice(0, 100))?.[1]?.toLowerCase() ?? 'image/*';
}

function checkedCount<T>(inputs: readonly T[], param: string): readonly T[] {
  if (inputs.length === 0) throw wrongField(param, 'is empty; give at least one text');
  if (inputs.length > MOST_INPUTS)
    throw wrongField(param, `has ${inputs.length} texts; one request takes at most ${MOST_INPUTS}`);
  return inputs;
}

/** Reads one of Google's requests, whose names may be in snake case; `at` stands before the names of its fields. */
function requestOf(request: JsonObject, row: ModelRow, at: string): EmbeddingInput {
  const {
    model,
    content = null,
    title,
    taskType,
    task_type,
    outputDimensionality,
    output_dimensionality,
    ...extra
  } = request;
  checkModel(model, row, `${at}model`);
  const task = taskType ?? task_type;
  const dimensions = outputDimensionality ?? output_dimensionality;
  return {
    ...contentOf(content, `${at}content`),
    ...dimensionsOf(dimensions, row, `${at}outputDimensionality`),
    ...(typeof task === 'string' && task !== '' && { taskType: task }),
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(Object.keys(extra).length > 0 && { extra }),
    body: request,
    param: `${at}content`,
  };
}

function contentsOf(body: JsonObject, inputs: readonly EmbeddingInput[]): EmbeddingCreate {
  const dimensions = inputs[0]?.dimensions;
  const task = inputs[0]?.taskType;
  const purpose = inputs.every(({ taskType }) => taskType === task) ? purposeOf(task) : undefined;
  return {
    shape: 'contents',
    body,
    inputs,
    encoding: 'float',
    ...(dimensions !== undefined && { dimensions }),
    ...(purpose !== undefined && { purpose }),
    names: { purpose: 'taskType', dimensions: 'outputDimensionality' },
    extra: {},
  };
}

/** The path says which model is asked; a request that names another one is a mistake. */
function checkModel(model: Json | undefined, { code, aliases = [] }: ModelRow, param: string): void {
  if (model === undefined || model === null || model === '') return;
  const name = typeof model === 'string' ? model.replace(/^models\//, '') : undefined;
  if (name !== undefined && (name === code || aliases.includes(name))) return;
  throw wrongField(param, `must be models/${code}, the model of the path, or left out`);
}

/** The texts of a content as one, and what else it has. */
function contentOf(content: Json, param: string): Pick<EmbeddingInput, 'content' | 'media'> {
  const parts = isJsonObject(content) ? content['parts'] : undefined;
  if (!Array.isArray(parts) || parts.length === 0)
    throw wrongField(`${param}.parts`, 'must be a list of at least one part');
  const texts: string[] = [];
  const media: { mime: string; param: string }[] = [];
  const read: EmbeddingPart[] = [];
  parts.forEach((part, index) => {
    const { text, ...more }: JsonObject = isJsonObject(part) ? part : {};
    if (typeof text === 'string') texts.push(text);
    else media.push({ mime: mimeIn(more), param: `${param}.parts[${index}]` });
    const image = typeof text === 'string' ? undefined : inlinePicture(more);
    if (typeof text === 'string') read.push({ text });
    else if (image !== undefined) read.push({ image });
  });
  const isUnderstood = media.length > 0 && read.length === parts.length;
  return { content: texts.join('\n'), ...(media.length > 0 && { media }), ...(isUnderstood && { parts: read }) };
}

/** A picture in a part of Google's, as a data: URL. */
function inlinePicture({ inlineData, inline_data, ...others }: JsonObject): string | undefined {
  const inline = inlineData ?? inline_data;
  const mime = mimeIn({ inline: inline ?? null });
  if (!isJsonObject(inline) || Object.keys(others).length > 0 || !mime.startsWith('image/')) return undefined;
  return typeof inline['data'] === 'string' ? `data:${mime};base64,${inline['data']}` : undefined;
}

function mimeIn(part: JsonObject): string {
  const [data] = Object.values(part).filter(isJsonObject);
  const mime = data?.['mimeType'] ?? data?.['mime_type'];
  return typeof mime === 'string' ? mime : '';
}

/** Tokens that the model reads of one text. */
export function longestOf({ limits }: Pick<ModelRow, 'limits'>): number | undefined {
  const most = limits['max_input_tokens'];
  return typeof most === 'number' ? most : undefined;
}
