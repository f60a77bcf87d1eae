/** The bodies that ask for vectors, OpenAI's and Google's, as the neutral form. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { EmbeddingCreate, EmbeddingInput } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { wrongField } from '../../wrong-field.ts';

/** Texts of one request at most: OpenAI's own bound. */
const MOST_INPUTS = 2048;

/** Reads OpenAI's form. Throws `invalid_request` naming the field. */
export function embeddingsOfInput(body: JsonObject, row: ModelRow): EmbeddingCreate {
  const { model: _model, input = null, dimensions, encoding_format, user, ...extra } = body;
  const inputs = inputsOf(input).map(({ content, param }) => inputOf(content, row, param));
  return {
    shape: 'input',
    body,
    inputs: checkedCount(inputs, 'input'),
    encoding: encoding_format === 'base64' ? 'base64' : 'float',
    ...dimensionsOf(dimensions, row, 'dimensions'),
    ...(typeof user === 'string' && user !== '' && { user }),
    extra,
  };
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

/** A text, the ids of its tokens, or an object as some vendors on this wire take it: its `text` and whatever else it has. */
function inputOf(content: Json, row: ModelRow, param: string): EmbeddingInput {
  if (typeof content === 'string') return { content, param };
  if (isJsonObject(content)) {
    const { text, ...more } = content;
    const media = typeof text === 'string' && Object.keys(more).length === 0 ? [] : [{ mime: '', param }];
    return { content: typeof text === 'string' ? text : '', body: content, param, media };
  }
  if (!Array.isArray(content)) throw wrongField(param, 'must be a text, a list of token ids or an object');
  const stranger = content.findIndex((id) => typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0);
  if (stranger >= 0) throw wrongField(`${param}[${stranger}]`, 'must be a token id: a whole number, 0 or more');
  const longest = longestOf(row);
  if (longest !== undefined && content.length > longest)
    throw wrongField(param, `has ${content.length} tokens; this model reads at most ${longest} of one text`);
  return { content: content as readonly number[], param };
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
  return {
    shape: 'contents',
    body,
    inputs,
    encoding: 'float',
    ...(dimensions !== undefined && { dimensions }),
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
  parts.forEach((part, index) => {
    const { text, ...more }: JsonObject = isJsonObject(part) ? part : {};
    if (typeof text === 'string') texts.push(text);
    else media.push({ mime: mimeIn(more), param: `${param}.parts[${index}]` });
  });
  return { content: texts.join('\n'), ...(media.length > 0 && { media }) };
}

function mimeIn(part: JsonObject): string {
  const [data] = Object.values(part).filter(isJsonObject);
  const mime = data?.['mimeType'] ?? data?.['mime_type'];
  return typeof mime === 'string' ? mime : '';
}

/** Checks a length against those that the row says. */
function dimensionsOf(
  dimensions: Json | undefined,
  { code, limits }: ModelRow,
  param: string,
): { dimensions?: number } {
  if (dimensions === undefined || dimensions === null) return {};
  if (typeof dimensions !== 'number' || !Number.isSafeInteger(dimensions) || dimensions < 1)
    throw wrongField(param, 'must be a whole number, 1 or more');
  const { isMade, told } = lengthsOf(limits);
  if (!isMade(dimensions)) throw wrongField(param, `is ${dimensions}; ${code} makes vectors of ${told} numbers`);
  return { dimensions };
}

/** The lengths that a model makes: any where the row does not say. */
function lengthsOf(limits: JsonObject): { readonly isMade: (length: number) => boolean; readonly told: string } {
  const { values, min, max } = isJsonObject(limits['dimensions']) ? limits['dimensions'] : {};
  if (Array.isArray(values))
    return { isMade: (length) => values.includes(length), told: values.map(String).join(', ') };
  const least = typeof min === 'number' ? min : 1;
  const most = typeof max === 'number' ? max : Infinity;
  return { isMade: (length) => length >= least && length <= most, told: `${least} to ${most}` };
}

/** Tokens that the model reads of one text. */
export function longestOf({ limits }: Pick<ModelRow, 'limits'>): number | undefined {
  const most = limits['max_input_tokens'];
  return typeof most === 'number' ? most : undefined;
}
