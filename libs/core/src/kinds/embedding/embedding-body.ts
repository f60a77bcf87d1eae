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
  const inputs = inputsOf(input).map(({ content, param }) => ({ content: checkedContent(content, row, param), param }));
  return {
    shape: 'input',
    inputs: checkedCount(inputs, 'input'),
    encoding: encoding_format === 'base64' ? 'base64' : 'float',
    ...dimensionsOf(dimensions, row, 'dimensions'),
    ...(typeof user === 'string' && user !== '' && { user }),
    extra,
  };
}

/** Reads Google's embedContent. Throws `invalid_request` naming the field. */
export function embeddingsOfContent(body: JsonObject, row: ModelRow): EmbeddingCreate {
  return contentsOf([requestOf(body, row, '')], row);
}

/** Reads Google's batchEmbedContents. Throws `invalid_request` naming the field. */
export function embeddingsOfContents(body: JsonObject, row: ModelRow): EmbeddingCreate {
  const { requests, ...extra } = body;
  const read = checkedCount(Array.isArray(requests) ? requests : [], 'requests').map((request, index) => {
    const place = `requests[${index}]`;
    if (!isJsonObject(request)) throw wrongField(place, 'must be an object');
    return requestOf(request, row, `${place}.`);
  });
  return { ...contentsOf(read, row), extra };
}

function inputsOf(input: Json): { readonly content: Json; readonly param: string }[] {
  if (typeof input === 'string') return [{ content: input, param: 'input' }];
  if (!Array.isArray(input)) throw wrongField('input', 'must be a text or an array');
  if (typeof input[0] === 'number') return [{ content: input, param: 'input' }];
  const isTexts = typeof input[0] === 'string';
  return input.map((content, index) => {
    const param = `input[${index}]`;
    if (isTexts !== (typeof content === 'string'))
      throw wrongField(param, `must be ${isTexts ? 'a text like the first' : 'a list of token ids like the first'}`);
    return { content, param };
  });
}

function checkedContent(content: Json, row: ModelRow, param: string): string | readonly number[] {
  if (typeof content === 'string') return checkedText(content, param);
  if (!Array.isArray(content)) throw wrongField(param, 'must be a text or a list of token ids');
  if (content.length === 0) throw wrongField(param, 'is empty; there is nothing to embed');
  const stranger = content.findIndex((id) => typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0);
  if (stranger >= 0) throw wrongField(`${param}[${stranger}]`, 'must be a token id: a whole number, 0 or more');
  const longest = longestOf(row);
  if (longest !== undefined && content.length > longest)
    throw wrongField(param, `has ${content.length} tokens; this model reads at most ${longest} of one text`);
  return content as readonly number[];
}

function checkedText(text: string, param: string): string {
  if (text === '') throw wrongField(param, 'is empty; there is nothing to embed');
  return text;
}

function checkedCount<T>(inputs: readonly T[], param: string): readonly T[] {
  if (inputs.length === 0) throw wrongField(param, 'is empty; give at least one text');
  if (inputs.length > MOST_INPUTS)
    throw wrongField(param, `has ${inputs.length} texts; one request takes at most ${MOST_INPUTS}`);
  return inputs;
}

/** One request of Google's. */
interface ContentRequest {
  readonly input: EmbeddingInput;
  readonly dimensions: Json | undefined;
  readonly dimensionsParam: string;
}

/** Reads one of Google's requests, whose names may be in snake case; `at` stands before the names of its fields. */
function requestOf(request: JsonObject, row: ModelRow, at: string): ContentRequest {
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
  for (const [name, value] of [
    ['taskType', task],
    ['title', title],
  ] as const) {
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw wrongField(`${at}${name}`, 'must be a text');
  }
  return {
    input: {
      content: textOfContent(content, `${at}content`),
      ...(typeof task === 'string' && task !== '' && { taskType: task }),
      ...(typeof title === 'string' && title !== '' && { title }),
      ...(Object.keys(extra).length > 0 && { extra }),
      param: `${at}content`,
    },
    dimensions: outputDimensionality ?? output_dimensionality,
    dimensionsParam: `${at}outputDimensionality`,
  };
}

function contentsOf(requests: readonly ContentRequest[], row: ModelRow): EmbeddingCreate {
  const [first] = requests;
  const other = requests.find(({ dimensions }) => dimensions !== first?.dimensions);
  if (other !== undefined)
    throw wrongField(other.dimensionsParam, 'must be the same in all requests: one answer has vectors of one length');
  return {
    shape: 'contents',
    inputs: requests.map(({ input }) => input),
    encoding: 'float',
    ...dimensionsOf(first?.dimensions, row, first?.dimensionsParam ?? ''),
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

function textOfContent(content: Json, param: string): string {
  const parts = isJsonObject(content) ? content['parts'] : undefined;
  if (!Array.isArray(parts) || parts.length === 0)
    throw wrongField(`${param}.parts`, 'must be a list of at least one text');
  const texts = parts.map((part, index) => {
    const text = isJsonObject(part) ? part['text'] : undefined;
    if (typeof text === 'string') return text;
    throw wrongField(`${param}.parts[${index}]`, 'must have text; only texts are turned into vectors here');
  });
  return checkedText(texts.join('\n'), param);
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
